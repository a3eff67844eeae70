// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.control.Lab;
import org.wridscope.control.LabFaults;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.soft.Fault;

/** What is not called good although an end says that it has completed, or may fail. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScheduledVerdictTest {
  /** More than the destination posts. */
  private static final int SENDS = 24;

  /** Of the destination, one SEND completes after the message that answers it. */
  private static Scenario late(int send) throws Exception {
    return Scenarios.parse(
        "late",
        """
        {"title": "Late", "about": "A completion that is late.", "group": "Completion queues",
         "guest": {"ram": "1MiB", "dirty-rate": "0"},
         "migration": {"completion-queues": "shared"},
         "destination": {"faults": [{"fault": "hold-completion", "of": "send", "from": %d,
           "time": "5s", "until-receive": true}]},
         "expect": {"status": "completed", "may-hang": false}}
        """
            .formatted(send));
  }

  @Test
  void waitForEver_afterTheHandOver_isAHang() throws Exception {
    List<String> problems = new ArrayList<>();
    for (int send = 0; send < SENDS; send++) {
      ScheduledRun run =
          ScheduledRun.of(LocalSessions::new, late(send).unmonitored(), Schedule.of(0));
      if (run.status() == MigrationStatus.COMPLETED) {
        problems.addAll(run.problems());
      }
    }
    assertThat(problems)
        .singleElement()
        .asString()
        .startsWith("It was not confirmed after waits had dropped completions (1): ")
        .contains("The guest runs at the destination.", "DIGESTS");
  }

  @Test
  void errorOfTheProgram_isFound_whateverEndIsAllowed() throws Exception {
    Scenario scenario = Exploration.smallest("defect").unmonitored().withAnyEnd();
    LabFaults faults = scenario.faults(0);
    var defective =
        new LabFaults(
            faults.devices(),
            faults.destinationGuest(),
            faults.release(),
            (_, ordinal, _, _) -> {
              if (ordinal == 3) {
                throw new IllegalStateException("a plan with a defect, thrown on purpose");
              }
              return Fault.PROCEED;
            },
            faults.destination());
    List<String> problems =
        ScheduledRun.under(
            _ -> 0,
            1,
            () -> {
              try (SessionManager sessions = new LocalSessions()) {
                Lab lab = sessions.startLab(scenario.lab(), defective);
                return Verdict.await(scenario, 0, lab, () -> {}).problems();
              }
            });
    assertThat(problems)
        .containsExactly(
            "This program made an error: java.lang.IllegalStateException: a plan with a defect,"
                + " thrown on purpose");
  }
}
