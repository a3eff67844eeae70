// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.control.Lab;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;

/** Runs random scenarios, and looks for those that break an invariant. */
final class ExplorationRunner {
  private static final int MESSAGE_EVERY = 1000;
  private static final int AT_ONCE = 4 * Runtime.getRuntime().availableProcessors();

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  // Guarded by this object's lock.
  private final Map<String, Integer> ends = new TreeMap<>();
  private int done;
  private int broken;

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
    try (var random = new RandomRuns(managers, variant, AT_ONCE)) {
      showProgress(runs);
      random.run(firstSeed, runs, (scenario, lab, verdict) -> ended(scenario, lab, verdict, runs));
      return conclude(runs, System.nanoTime() - begin, random.interrupted());
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

  /** Number of completions that waits dropped, at both ends. */
  private static long dropped(Lab lab) {
    return Stream.of(lab.source(), lab.destination())
        .mapToLong(session -> session.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED))
        .sum();
  }

  private synchronized void ended(Scenario scenario, Lab lab, Verdict verdict, int runs) {
    List<String> problems = new ArrayList<>(verdict.problems());
    long dropped = dropped(lab);
    if (dropped > 0 && lab.source().status() != MigrationStatus.COMPLETED) {
      problems.add(
          "It did not complete after waits had dropped completions (%s): %s"
              .formatted(Format.count(dropped), lab.source().outcome()));
    }
    for (String problem : problems) {
      terminal.result(Terminal.Colour.BAD, "seed %d: %s".formatted(scenario.seed(), problem));
    }
    broken += problems.isEmpty() ? 0 : 1;
    done++;
    ends.merge(lab.source().status().qemuName(), 1, Integer::sum);
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
