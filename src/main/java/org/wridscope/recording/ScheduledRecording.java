// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.function.Supplier;
import org.wridscope.control.Lab;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.control.schedule.ChoiceTeller;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.files.Output;

/** Records what a schedule makes of a scenario, without anybody looking on. */
public final class ScheduledRecording {
  private ScheduledRecording() {}

  /**
   * Runs a scenario's first run under its schedule, to its end, and records it.
   *
   * @param managers makes the manager of its sessions
   * @return the verdict on it
   * @throws IOException if it cannot be started, or the file cannot be written; a sentence
   */
  public static Verdict make(
      Supplier<? extends SessionManager> managers, Scenario scenario, Output output)
      throws IOException, InterruptedException {
    var chooser = new ChoiceTeller(scenario.schedule());
    return ScheduledRun.under(
        chooser,
        scenario.seed(),
        () -> {
          try (SessionManager sessions = managers.get()) {
            chooser.name(sessions::sessions);
            Recorder recorder = Recorder.begin(output);
            Verdict verdict;
            // It ends before the sessions, while the guest is where the migration has left it.
            try (recorder) {
              Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
              recorder.add(lab, scenario);
              verdict = Verdict.await(scenario, 0, lab, () -> {});
            }
            String failure = recorder.failure();
            if (failure != null) {
              throw new IOException(failure);
            }
            return verdict;
          }
        });
  }
}
