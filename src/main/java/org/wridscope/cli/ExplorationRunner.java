// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.schedule.Explorer;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.control.schedule.Shrinking;
import org.wridscope.text.Format;

/** Runs random scenarios, and looks for those that break an invariant. */
final class ExplorationRunner {
  private static final int MESSAGE_EVERY = 1000;

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  // Guarded by this object's lock.
  private final Map<String, Integer> ends = new TreeMap<>();
  private int done;
  private int broken;

  /** That with the smallest seed. */
  private @Nullable Broken first;

  /** A run that broke an invariant. */
  private record Broken(Scenario scenario, ScheduledRun run) {}

  ExplorationRunner(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  /**
   * Runs a scenario for each seed from the given one on, until all are done or the user presses
   * Ctrl-C.
   *
   * @return the status with which the process exits: 0 if no invariant was broken
   */
  ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (var interruption = new Interruption(Session.END_PATIENCE)) {
      showProgress(runs);
      new Explorer(managers, variant)
          .run(
              firstSeed,
              runs,
              interruption::requested,
              (scenario, run) -> ended(scenario, run, runs));
      tellFirst();
      return conclude(runs, System.nanoTime() - begin, interruption.requested());
    }
  }

  /** Reduces the first run that broke an invariant. */
  private void tellFirst() throws IOException, InterruptedException {
    Broken found = first;
    if (found != null) {
      Shrinking.Shrunk shrunk = Shrinking.shrink(managers, found.scenario, found.run);
      Schedule schedule = shrunk.run().asMade();
      terminal.result(
          "seed %d, reduced in %s to %s out of turn and %s: %s"
              .formatted(
                  found.scenario.seed(),
                  Format.counted(shrunk.runs(), "run"),
                  Format.counted(schedule.choices().size(), "choice"),
                  Format.counted(shrunk.scenario().rules(), "fault rule"),
                  schedule.choices().entrySet().stream()
                      .map(choice ->
                          "%d takes option %d".formatted(choice.getKey(), choice.getValue()))
                      .collect(Collectors.joining(", "))));
    }
  }

  private synchronized ExitCode conclude(int runs, long nanos, boolean interrupted) {
    terminal.result(
        broken == 0 ? Terminal.Colour.GOOD : Terminal.Colour.BAD,
        "%s in %s, %s; %s broke an invariant"
            .formatted(
                interrupted
                    ? "interrupted after %s of %s runs"
                        .formatted(Format.count(done), Format.count(runs))
                    : Format.count(done) + " runs",
                Format.duration(nanos),
                endings(),
                Format.count(broken)));
    if (broken > 0) {
      return ExitCode.FAILED;
    }
    return interrupted ? ExitCode.INTERRUPTED : ExitCode.COMPLETED;
  }

  private synchronized void ended(Scenario scenario, ScheduledRun run, int runs) {
    for (String problem : run.problems()) {
      terminal.result(Terminal.Colour.BAD, "seed %d: %s".formatted(scenario.seed(), problem));
    }
    if (!run.good()) {
      broken++;
      if (first == null || scenario.seed() < first.scenario.seed()) {
        first = new Broken(scenario, run);
      }
    }
    done++;
    ends.merge(run.status().qemuName(), 1, Integer::sum);
    showProgress(runs);
  }

  private synchronized void showProgress(int runs) {
    String text =
        "%s of %s runs%s"
            .formatted(
                Format.count(done), Format.count(runs), ends.isEmpty() ? "" : ": " + endings());
    if (terminal.redraws()) {
      terminal.redraw(List.of(text));
    } else if (done > 0 && done % MESSAGE_EVERY == 0) {
      terminal.message(text);
    }
  }

  /** How the runs ended, for example {@code 22 completed, 8 failed}. */
  private String endings() {
    return ends.entrySet().stream()
        .map(end -> Format.count(end.getValue()) + " " + end.getKey())
        .collect(Collectors.joining(", "));
  }
}
