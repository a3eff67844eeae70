// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.time.Option;

final class HistoryTest {
  private static final Option SOURCE = new Named("lab 1 source");
  private static final Option DESTINATION = new Named("lab 1 destination");
  private static final Option GUEST = new Named("guest-writer-0");

  private static final class Named extends Option {
    private final String name;

    Named(String name) {
      this.name = name;
    }

    @Override
    public String who() {
      return name;
    }

    @Override
    public String what() {
      return "goes on";
    }

    @Override
    public String rule() {
      return "It may.";
    }
  }

  private static long after(List<Option> steps) {
    var history = new History();
    steps.forEach(step -> history.happened(step, false));
    return history.state();
  }

  @Test
  void stepsOfDifferentEnds_commute() {
    assertThat(after(List.of(SOURCE, DESTINATION))).isEqualTo(after(List.of(DESTINATION, SOURCE)));
    assertThat(after(List.of(SOURCE, SOURCE, DESTINATION)))
        .isEqualTo(after(List.of(SOURCE, DESTINATION, SOURCE)))
        .isNotEqualTo(after(List.of(SOURCE, DESTINATION)));
  }

  @Test
  void whatNobodyCanTellTheEndOf_commutesWithNothing() {
    assertThat(after(List.of(SOURCE, GUEST))).isNotEqualTo(after(List.of(GUEST, SOURCE)));
  }

  @Test
  void whatAffectsAll_doesNotCommute() {
    var first = new History();
    first.happened(SOURCE, true);
    first.happened(DESTINATION, false);
    var second = new History();
    second.happened(DESTINATION, false);
    second.happened(SOURCE, true);
    assertThat(first.state()).isNotEqualTo(second.state());
  }
}
