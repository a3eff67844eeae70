// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TimeOrderTest {
  private static final long SECOND = 1_000_000_000L;

  private final List<Long> passed = new ArrayList<>();
  private final TimeOrder order = new TimeOrder(line -> passed.add(line.nanos()));

  private void line(long nanos) {
    order.add(TraceLine.of(TraceLine.Kind.MORE, nanos, 1, 1, 0, 1));
  }

  /** A post is told at its return, with the time of its call. */
  @Test
  void lines_arePassedOnInTheOrderOfTime_whenNoEarlierOneCanFollow() {
    line(SECOND + 20);
    line(SECOND + 10);
    assertThat(order.pass(SECOND + 30, Long.MAX_VALUE)).isLessThan(SECOND);
    assertThat(passed).isEmpty();
    line(SECOND + 15);
    line(3 * SECOND);
    long _ = order.pass(2 * SECOND, Long.MAX_VALUE);

    assertThat(passed).containsExactly(SECOND + 10, SECOND + 15, SECOND + 20);
    assertThat(order.late()).isZero();
  }

  @Test
  void linesOfOneTime_keepTheirOrder() {
    var pids = new ArrayList<Long>();
    var same = new TimeOrder(line -> pids.add(line.pid()));
    for (int pid = 1; pid < 20; pid++) {
      same.add(TraceLine.of(TraceLine.Kind.MORE, 5, pid, 1, 0, 1));
    }
    same.end();

    assertThat(pids).isSorted().hasSize(19);
  }

  @Test
  void aLineThatComesTooLate_isPassedOnAndCounted() {
    line(2 * SECOND);
    long _ = order.pass(9 * SECOND, Long.MAX_VALUE);
    line(SECOND);
    order.end();

    assertThat(passed).containsExactly(2 * SECOND, SECOND);
    assertThat(order.late()).isEqualTo(1);
  }

  /** A completion is told when the program has read what it wants of it. */
  @Test
  void whatMayStillBeTold_holdsBackWhatComesAfterIt() {
    line(SECOND);
    line(3 * SECOND);
    assertThat(order.pass(9 * SECOND, 2 * SECOND)).isEqualTo(2 * SECOND - 1);
    assertThat(passed).containsExactly(SECOND);
    line(2 * SECOND);
    order.end();

    assertThat(passed).containsExactly(SECOND, 2 * SECOND, 3 * SECOND);
    assertThat(order.late()).isZero();
  }

  @Test
  void theEnd_passesOnEverything() {
    line(7);
    line(6);
    order.end();

    assertThat(passed).containsExactly(6L, 7L);
  }
}
