// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.time.Option;

final class ScheduleChooserTest {
  private static final Option OPTION =
      new Option() {
        @Override
        public String who() {
          return "source";
        }

        @Override
        public String what() {
          return "goes on";
        }

        @Override
        public String rule() {
          return "";
        }
      };

  /** Of choices between two, three, four and five options, again and again. */
  private static List<Integer> chosen(ScheduleChooser chooser) {
    var chosen = new ArrayList<Integer>();
    for (int i = 0; i < 40; i++) {
      chosen.add(chooser.choose(Collections.nCopies(2 + i % 4, OPTION)));
    }
    return chosen;
  }

  private static Schedule schedule(long seed, Map<Long, Integer> choices) {
    return new Schedule(seed, new TreeMap<>(choices));
  }

  @Test
  void inTurn_takesTheFirst_exceptAtGivenChoices() {
    var chooser = new ScheduleChooser(schedule(Schedule.IN_TURN, Map.of(3L, 2, 4L, 9, 5L, 0)));
    assertThat(chosen(chooser).subList(0, 6)).containsExactly(0, 0, 0, 2, 1, 0);
    assertThat(chooser.made()).isEqualTo(40);
    assertThat(chooser.asMade())
        .as("what was taken, where there were fewer options")
        .isEqualTo(schedule(Schedule.IN_TURN, Map.of(3L, 2, 4L, 1)));
  }

  @Test
  void aSeed_givesAnOrder_whichItsChoicesRepeat() {
    var chooser = new ScheduleChooser(Schedule.of(7));
    List<Integer> once = chosen(chooser);
    assertThat(once).contains(0, 1, 2, 3, 4);
    assertThat(chosen(new ScheduleChooser(Schedule.of(7)))).isEqualTo(once);
    assertThat(chosen(new ScheduleChooser(Schedule.of(8)))).isNotEqualTo(once);
    assertThat(chosen(new ScheduleChooser(chooser.asMade()))).isEqualTo(once);
  }

  @Test
  void aGivenChoice_doesNotChangeWhatTheSeedSaysLater() {
    List<Integer> once = chosen(new ScheduleChooser(Schedule.of(7)));
    int other = once.get(11) == 0 ? 1 : 0;
    List<Integer> with = chosen(new ScheduleChooser(schedule(7, Map.of(11L, other))));
    once.set(11, other);
    assertThat(with).isEqualTo(once);
  }
}
