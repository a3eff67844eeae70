// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;

final class ExhaustionTest {
  private static final Scenario SMALLEST = Exploration.smallest("exhaustion").unmonitored();

  @Test
  void splitQueues_noOrderOfTheFirstChoices_breaksAnything() throws Exception {
    Exhaustion.Result result =
        Exhaustion.run(LocalSessions::new, SMALLEST, 7, () -> false, (_, _, _) -> {});
    assertThat(result.broken()).isEmpty();
    assertThat(result.complete()).as("there are later choices").isFalse();
    // A choice has two options at least, and some orders lead to the same state.
    assertThat(result.states()).isGreaterThan(7).isLessThan(result.runs());
  }

  @Test
  void sharedQueue_hangIsFound_andItsScheduleRepeatsIt() throws Exception {
    Scenario shared = SMALLEST.with(CompletionQueues.SHARED);
    var runs = new AtomicLong();
    Exhaustion.Result result =
        Exhaustion.run(
            LocalSessions::new,
            shared,
            100,
            () -> runs.get() >= 4000,
            (_, done, _) -> runs.set(done));
    ScheduledRun broken = result.broken().getFirst();
    assertThat(broken.problems().getFirst()).contains("had dropped the completion of CONTROL RECV");
    assertThat(ScheduledRun.of(LocalSessions::new, shared, broken.asMade())).isEqualTo(broken);
  }

  @Test
  void stoppedOne_saysThatItIsNotComplete() throws Exception {
    Exhaustion.Result result =
        Exhaustion.run(LocalSessions::new, SMALLEST, 7, () -> true, (_, _, _) -> {});
    assertThat(result).isEqualTo(new Exhaustion.Result(0, 0, false, List.of()));
  }
}
