// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.wridscope.Slow;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.SmallScenario;
import org.wridscope.control.scenario.Statements;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.engine.DeviceCounts;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.ReleaseTime;

/** Scenarios end as they expect in any order of events. */
@Slow("every shipped scenario in several orders")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScheduledScenariosTest {
  private static final int ORDERS = 6;

  /** Guests with more RAM are migrated once with each kind of queues, which takes long enough. */
  private static final long LARGE = 64L << 20;

  private static final int MANY_RUNS = 20;

  /**
   * Large guests whose fault comes before any completion, or is met with a shared queue in
   * number-reuse.
   */
  private static final Set<String> ONLY_SPLIT = Set.of("queue-pair-fatal", "registration-limit");

  /**
   * Begins the names of scenarios about the devices of the guest, which do not see the completion
   * queues: with a shared one these run in one order. A guest that makes 20,000 requests a second
   * until a hang is found takes long.
   */
  private static final String DEVICES = "virtqueue-";

  private static final Pattern HANG =
      Pattern.compile("It (did not complete|was not confirmed) after waits had dropped");

  /** Random scenarios; more with {@code -Dwridscope.explored=10000}. */
  private static final int EXPLORED = Integer.getInteger("wridscope.explored", 60);

  /** Random scenarios in one of which an engine's error must show. */
  private static final int MOST_EXPLORED = 300;

  private static final int AT_ONCE = 2;
  private static final int LONGEST_SECONDS = 600;

  @TestFactory
  Stream<DynamicTest> shipped_comeOutAsTheySay_inAnyOrder() {
    ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
    List<DynamicTest> tests = new ArrayList<>();
    for (Scenario shipped : Scenarios.shipped()) {
      for (CompletionQueues queues : CompletionQueues.values()) {
        if (queues == CompletionQueues.SHARED && ONLY_SPLIT.contains(shipped.name())) {
          continue;
        }
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
    Scenario small = SmallScenario.of(scenario);
    if (!small.equals(scenario)
        && scenario.lab().get(MigrationSetting.COMPLETION_QUEUES) == CompletionQueues.SPLIT) {
      // As it is shipped; in part it is run in all orders.
      run(scenario, Schedule.IN_TURN, _ -> true);
    }
    if (small.ramBytes() > LARGE) {
      run(small, Schedule.IN_TURN, _ -> true);
      return;
    }
    // Each run in an order of its own, the first one in all; and all, if they belong together. If
    // there are many, each is made with one of the two kinds of queues.
    boolean together = small.runs() <= 2;
    int kinds = small.runs() > MANY_RUNS ? CompletionQueues.values().length : 1;
    int kind = scenario.lab().get(MigrationSetting.COMPLETION_QUEUES).ordinal();
    boolean once =
        scenario.lab().get(MigrationSetting.COMPLETION_QUEUES) == CompletionQueues.SHARED
            && scenario.name().startsWith(DEVICES);
    for (long order = 0; order < (once ? 1 : ORDERS); order++) {
      long own = order;
      run(
          small,
          order,
          run ->
              together
                  || run == 0
                  || (run % ORDERS == own && (kinds == 1 || run / ORDERS % kinds == kind)));
    }
  }

  /** Makes the chosen ones of a scenario's runs under one schedule. */
  private static void run(Scenario shipped, long order, IntPredicate chosen) throws Exception {
    Schedule schedule = Schedule.of(order);
    Scenario scenario = shipped.with(schedule);
    under(
        scenario,
        sessions -> {
          var devices = new DeviceCounts();
          sessions.tap(devices);
          for (int run = 0; run < scenario.runs(); run++) {
            if (chosen.test(run)) {
              run(sessions, devices, scenario, run);
            }
          }
        });
  }

  /** What is done with sessions under a schedule. */
  @FunctionalInterface
  private interface Work {
    void accept(SessionManager sessions) throws IOException, InterruptedException;
  }

  private static void under(Scenario scenario, Work work) throws Exception {
    ScheduledRun.under(
        new ScheduleChooser(scenario.schedule()),
        scenario.seed(),
        () -> {
          try (SessionManager sessions = new LocalSessions()) {
            work.accept(sessions);
          }
          return true;
        });
  }

  private static void run(SessionManager sessions, DeviceCounts devices, Scenario scenario, int run)
      throws IOException, InterruptedException {
    sessions.sessions().forEach(sessions::remove);
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(run));
    List<String> problems = Verdict.await(scenario, run, lab, () -> {}).problems();
    String what =
        "%s, seed %d, run %d, order %d"
            .formatted(scenario.name(), scenario.seed(), run, scenario.schedule().seed());
    assertThat(problems)
        .as(what)
        // A shared queue may do that; the verdict says where it should not.
        .filteredOn(problem -> !HANG.matcher(problem).lookingAt())
        .isEmpty();
    Statements.check(what, lab);
    devices.check(what, lab.source().device(), lab.source().telemetry());
    devices.check(what, lab.destination().device(), lab.destination().telemetry());
    if (scenario.schedule().isInTurn()
        && scenario.lab().get(MigrationSetting.COMPLETION_QUEUES) == CompletionQueues.SHARED
        && scenario.name().equals("out-of-order-wrid-source")) {
      assertThat(Verdict.hang(lab)).contains("waiting for the peer's REGISTER RESULT");
    }
  }

  /** Random scenarios, each in the order of its seed. */
  @Test
  void explored_isTheSameEachTime_andBreaksNothing() throws Exception {
    for (long seed = 1; seed <= EXPLORED; seed++) {
      Scenario scenario = Exploration.of("explored", seed);
      assertThat(Exploration.of("explored", seed)).isEqualTo(scenario);
      run(scenario, seed, _ -> true);
    }
  }

  @Test
  void explored_withAnEngineThatReleasesOnAReply_findsIt() throws Exception {
    List<String> found = new ArrayList<>();
    for (long seed = 1; seed <= MOST_EXPLORED && found.isEmpty(); seed++) {
      Scenario scenario = Exploration.of("explored", seed).with(ReleaseTime.ON_REPLY);
      under(
          scenario.with(Schedule.of(seed)),
          sessions -> {
            Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
            found.addAll(Verdict.await(scenario, 0, lab, () -> {}).problems());
          });
    }
    assertThat(found)
        .isNotEmpty()
        .allMatch(problem -> problem.contains("before their SENDs had completed"));
  }
}
