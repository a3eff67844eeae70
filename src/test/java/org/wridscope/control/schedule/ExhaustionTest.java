// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.Slow;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.time.Chooser;
import org.wridscope.time.Option;

@Slow("every order of a small migration")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ExhaustionTest {
  private static final Scenario SMALLEST = Exploration.smallest("exhaustion").unmonitored();

  /** A wrong variant's harm may also be missing where something rare happens. */
  @Test
  void whatAScenarioExpectsToBeFound_mayBeFoundInAnyOrder() throws Exception {
    Scenario wrong = Scenarios.shipped("virtqueue-reset-wrong");
    assertThat(wrong.expectation(0).virtio()).isNotEmpty();
    ScheduledRun run =
        ScheduledRun.of(
            LocalSessions::new,
            wrong.withAnyEnd(),
            Schedule.inTurnExcept(new TreeMap<>(Map.of(20L, -1))));
    assertThat(run.asMade().hasRare()).isTrue();
    assertThat(run.problems()).isEmpty();
  }

  @Test
  void splitQueues_noOrderOfTheFirstChoices_breaksAnything() throws Exception {
    Exhaustion.Result result =
        Exhaustion.run(LocalSessions::new, SMALLEST, 7, false, () -> false, (_, _, _) -> {});
    assertThat(result.broken()).isEmpty();
    assertThat(result.complete()).as("there are later choices").isFalse();
    // A choice has two options at least, and some orders lead to the same state.
    assertThat(result.states()).isGreaterThan(7).isLessThan(result.runs());
  }

  /** The same without leaving anything out. */
  @Test
  void allStatesWithinTheDepth_areReached() throws Exception {
    int depth = 8;
    Set<Long> states = new HashSet<>();
    var beginnings = new ArrayDeque<>(List.of(List.<Integer>of()));
    while (!beginnings.isEmpty()) {
      List<Integer> beginning = beginnings.pop();
      var history = new History();
      List<Integer> taken = new ArrayList<>();
      Chooser chooser =
          new Chooser() {
            @Override
            public int choose(List<Option> options) {
              int number = taken.size();
              if (number < depth) {
                states.add(history.state());
              }
              int chosen = number < beginning.size() ? beginning.get(number) : 0;
              for (int other = 1;
                  number >= beginning.size() && number < depth && other < options.size();
                  other++) {
                List<Integer> further = new ArrayList<>(taken);
                further.add(other);
                beginnings.push(further);
              }
              taken.add(chosen);
              return chosen;
            }

            @Override
            public void happened(Option option, boolean affectedAll) {
              history.happened(option, affectedAll);
            }
          };
      ScheduledRun.of(chooser, ScheduleChooser.noting(), LocalSessions::new, SMALLEST);
    }
    assertThat(
            Exhaustion.run(LocalSessions::new, SMALLEST, depth, false, () -> false, (_, _, _) -> {})
                .states())
        .isEqualTo(states.size());
  }

  @Test
  void sharedQueue_hangIsFound_andItsScheduleRepeatsIt() throws Exception {
    Scenario shared = SMALLEST.with(CompletionQueues.SHARED);
    Exhaustion.Result result =
        Exhaustion.run(LocalSessions::new, shared, 10, false, () -> false, (_, _, _) -> {});
    ScheduledRun broken = result.broken().getFirst();
    assertThat(broken.problems().getFirst()).contains("had dropped the completion of CONTROL RECV");
    assertThat(ScheduledRun.of(LocalSessions::new, shared, broken.asMade())).isEqualTo(broken);
  }

  @Test
  void whateverIsRare_breaksNoInvariant() throws Exception {
    Exhaustion.Result result =
        Exhaustion.run(LocalSessions::new, SMALLEST, 5, true, () -> false, (_, _, _) -> {});
    assertThat(result.broken()).isEmpty();
    Exhaustion.Result without =
        Exhaustion.run(LocalSessions::new, SMALLEST, 5, false, () -> false, (_, _, _) -> {});
    assertThat(result.runs()).isGreaterThan(2 * without.runs());
  }

  @Test
  void aRunThatThrows_endsAll() {
    var begun = new AtomicLong();
    assertThatThrownBy(() ->
            Exhaustion.run(
                () -> {
                  // The first run leaves others to be done; the other workers wait for it.
                  if (begun.incrementAndGet() == 2) {
                    throw new IllegalStateException("no manager");
                  }
                  return new LocalSessions();
                },
                SMALLEST,
                12,
                false,
                () -> false,
                (_, _, _) -> {}))
        .hasRootCauseMessage("no manager");
    assertThat(begun)
        .as("each other worker ends the run that it has begun, or the next one")
        .hasValueLessThanOrEqualTo(2L + 2L * Runtime.getRuntime().availableProcessors());
  }

  @Test
  void aFirstRunThatThrows_letsNobodyWait() {
    assertThatThrownBy(() ->
            Exhaustion.run(
                () -> {
                  throw new IllegalStateException("no manager");
                },
                SMALLEST,
                12,
                false,
                () -> false,
                (_, _, _) -> {}))
        .hasRootCauseMessage("no manager");
  }

  @Test
  void stoppedOne_saysThatItIsNotComplete() throws Exception {
    Exhaustion.Result result =
        Exhaustion.run(LocalSessions::new, SMALLEST, 7, false, () -> true, (_, _, _) -> {});
    assertThat(result).isEqualTo(new Exhaustion.Result(0, 0, false, List.of()));
  }
}
