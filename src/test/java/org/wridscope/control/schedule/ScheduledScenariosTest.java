// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;

/** Scenarios end as they expect in any order of events. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScheduledScenariosTest {
  private static final int ORDERS = 6;

  /** Guests with more RAM are migrated once with each kind of queues, which takes long enough. */
  private static final long LARGE = 64L << 20;

  private static final Pattern HANG =
      Pattern.compile("It (did not complete|was not confirmed) after waits had dropped");

  private static final int AT_ONCE = 2;
  private static final int LONGEST_SECONDS = 240;

  @TestFactory
  Stream<DynamicTest> shipped_comeOutAsTheySay_inAnyOrder() {
    ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
    List<DynamicTest> tests = new ArrayList<>();
    for (Scenario shipped : Scenarios.shipped()) {
      for (CompletionQueues queues : CompletionQueues.values()) {
        Future<?> runs =
            executor.submit(() -> {
              runAll(shipped.with(queues));
              return null;
            });
        tests.add(
            DynamicTest.dynamicTest(
                shipped.name() + ", " + queues.name().toLowerCase(Locale.ROOT),
                () -> runs.get(LONGEST_SECONDS, TimeUnit.SECONDS)));
      }
    }
    executor.shutdown();
    return tests.stream().onClose(executor::shutdownNow);
  }

  private static void runAll(Scenario scenario) throws Exception {
    boolean shared = scenario.lab().completionQueues() == CompletionQueues.SHARED;
    if (scenario.ramBytes() > LARGE) {
      run(scenario, shared ? 1 : Schedule.IN_TURN);
      return;
    }
    for (long order = 0; order < ORDERS; order++) {
      ScheduledRun run = run(scenario, order);
      if (order == Schedule.IN_TURN
          && shared
          && scenario.name().equals("out-of-order-wrid-source")) {
        assertThat(String.join("", run.problems()))
            .contains("waiting for the peer's REGISTER RESULT");
      }
    }
  }

  private static ScheduledRun run(Scenario scenario, long order) throws Exception {
    Schedule schedule = Schedule.of(order);
    ScheduledRun run = ScheduledRun.of(LocalSessions::new, scenario.with(schedule), schedule);
    assertThat(run.problems())
        .as("%s, order %d", scenario.name(), order)
        // A shared queue may do that; the verdict says where it should not.
        .filteredOn(problem -> !HANG.matcher(problem).lookingAt())
        .isEmpty();
    return run;
  }
}
