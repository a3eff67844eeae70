// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.schedule.Explorer;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;

/** Runs random scenarios, and looks for those that break an invariant. */
final class ExplorationRunner {
  private static final int MESSAGE_EVERY = 1000;

  /** The verdict names so many, those with the smallest seeds. */
  private static final int MOST_VIOLATIONS = 100;

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  // Guarded by this object's lock.
  private final Map<String, Integer> ends = new TreeMap<>();
  private final NavigableMap<Long, List<String>> violations = new TreeMap<>();

  /** How often each rare choice (a kill, a cut, a loss) was made, at each step of the source. */
  private final Map<String, Map<String, Integer>> rare = new TreeMap<>();

  private int sound;
  private int soundCompleted;
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
   * @param outputs are closed
   * @return the status with which the process exits: 0 if no invariant was broken
   */
  ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant, SearchOutputs outputs)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (outputs;
        var interruption = new Interruption(Session.END_PATIENCE)) {
      showProgress(runs);
      new Explorer(managers, variant)
          .run(
              firstSeed,
              runs,
              interruption::requested,
              (scenario, run) -> ended(scenario, run, runs));
      long nanos = System.nanoTime() - begin;
      Reduction reduction = reduce(outputs, interruption::requested);
      outputs.write(verdict(runs, firstSeed, nanos, reduction, interruption.requested()), terminal);
      return conclude(runs, nanos, interruption.requested());
    }
  }

  /** Reduces the first run that broke an invariant; null if none did. */
  private @Nullable Reduction reduce(SearchOutputs outputs, BooleanSupplier stop)
      throws IOException, InterruptedException {
    Broken found = first;
    if (found == null) {
      return null;
    }
    Reduction reduction = Reduction.of(managers, found.scenario, found.run, stop);
    terminal.result("seed %d:".formatted(found.scenario.seed()));
    reduction.tell(terminal, outputs.reduced());
    return reduction;
  }

  /** The verdict; the names of the components are those of the members. */
  private record Json(
      String verdict,
      String scenario,
      long firstSeed,
      long runsWanted,
      long runs,
      Map<String, Integer> ends,
      int withoutFaults,
      int withoutFaultsCompleted,
      int broken,
      Map<String, Map<String, Integer>> rare,
      List<Violation> violations,
      Reduction.@Nullable Json reduced,
      double seconds) {}

  private record Violation(long seed, List<String> problems) {}

  private synchronized Json verdict(
      int runs, long firstSeed, long nanos, @Nullable Reduction reduction, boolean interrupted) {
    return new Json(
        broken > 0 ? VerdictJson.BAD : interrupted ? VerdictJson.INTERRUPTED : VerdictJson.GOOD,
        Explorer.DEVICES,
        firstSeed,
        runs,
        done,
        ends,
        sound,
        soundCompleted,
        broken,
        rare,
        violations.entrySet().stream()
            .map(each -> new Violation(each.getKey(), each.getValue()))
            .toList(),
        reduction == null ? null : reduction.json(),
        nanos / (double) TimeUnit.SECONDS.toNanos(1));
  }

  private synchronized ExitCode conclude(int runs, long nanos, boolean interrupted) {
    terminal.result(
        broken == 0 ? Terminal.Colour.GOOD : Terminal.Colour.BAD,
        "%s in %s, %s%s; %s broke an invariant"
            .formatted(
                interrupted
                    ? "interrupted after %s of %s runs"
                        .formatted(Format.count(done), Format.count(runs))
                    : Format.count(done) + " runs",
                Format.duration(nanos),
                endings(),
                withoutFaults(),
                Format.count(broken)));
    rare.forEach((what, steps) ->
        terminal.result(
            "  %s: %s"
                .formatted(
                    what,
                    steps.entrySet().stream()
                        .map(
                            step -> "%s %s".formatted(step.getKey(), Format.count(step.getValue())))
                        .collect(Collectors.joining(", ")))));
    if (broken > 0) {
      return ExitCode.FAILED;
    }
    return interrupted ? ExitCode.INTERRUPTED : ExitCode.COMPLETED;
  }

  private String withoutFaults() {
    return sound == 0
        ? ""
        : "; %s without faults, %s completed"
            .formatted(
                Format.count(sound),
                sound == soundCompleted ? "all" : Format.count(soundCompleted));
  }

  private synchronized void ended(Scenario scenario, ScheduledRun run, int runs) {
    for (String problem : run.problems()) {
      terminal.result(Terminal.Colour.BAD, "seed %d: %s".formatted(scenario.seed(), problem));
    }
    if (!run.good()) {
      broken++;
      violations.put(scenario.seed(), run.problems());
      if (violations.size() > MOST_VIOLATIONS) {
        violations.pollLastEntry();
      }
      if (first == null || scenario.seed() < first.scenario.seed()) {
        first = new Broken(scenario, run);
      }
    }
    if (scenario.isWithoutFaults()) {
      sound++;
      soundCompleted += run.status() == MigrationStatus.COMPLETED ? 1 : 0;
    }
    for (ScheduledRun.Happening each : run.rare()) {
      rare.computeIfAbsent(each.what(), _ -> new TreeMap<>()).merge(each.step(), 1, Integer::sum);
    }
    done++;
    ends.merge(run.status().qemuName(), 1, Integer::sum);
    showProgress(runs);
  }

  private synchronized void showProgress(int runs) {
    if (terminal.redraws()) {
      terminal.redraw(List.of(progress(runs)));
    } else if (done > 0 && done % MESSAGE_EVERY == 0) {
      terminal.message(progress(runs));
    }
  }

  private synchronized String progress(int runs) {
    return "%s of %s runs%s"
        .formatted(Format.count(done), Format.count(runs), ends.isEmpty() ? "" : ": " + endings());
  }

  /** How the runs ended, for example {@code 22 completed, 8 failed}. */
  private String endings() {
    return ends.entrySet().stream()
        .map(end -> Format.count(end.getValue()) + " " + end.getKey())
        .collect(Collectors.joining(", "));
  }
}
