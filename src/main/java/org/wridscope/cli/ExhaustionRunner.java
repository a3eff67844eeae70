// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.schedule.Exhaustion;
import org.wridscope.control.schedule.ScheduledRun;
import org.wridscope.text.Format;

/** Runs a migration in all orders, up to a number of choices. */
final class ExhaustionRunner {
  private static final int MESSAGE_EVERY = 1000;

  private final Supplier<SessionManager> managers;
  private final Terminal terminal;

  ExhaustionRunner(Supplier<SessionManager> managers, Terminal terminal) {
    this.managers = managers;
    this.terminal = terminal;
  }

  /**
   * Runs all orders of a scenario, until they are done or the user presses Ctrl-C.
   *
   * @param depth how many choices are varied
   * @param faults whether what is rare is taken at each, too
   * @param outputs are closed
   * @return the status with which the process exits: 0 if no invariant was broken
   */
  ExitCode run(Scenario scenario, int depth, boolean faults, SearchOutputs outputs)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (outputs;
        var interruption = new Interruption(Session.END_PATIENCE)) {
      Exhaustion.Result result =
          Exhaustion.run(
              managers, scenario.unmonitored(), depth, faults, interruption::requested, this::show);
      long nanos = System.nanoTime() - begin;
      Reduction reduction = reduce(scenario, result, outputs, interruption::requested);
      outputs.write(
          verdict(scenario, depth, result, reduction, nanos, interruption.requested()), terminal);
      String effort =
          "%s of the migration in %s, which took %s"
              .formatted(
                  Format.counted(result.states(), "state"),
                  Format.counted(result.runs(), "run"),
                  Format.duration(nanos));
      if (!result.broken().isEmpty()) {
        terminal.result(
            Terminal.Colour.BAD,
            "%s; %s broke an invariant"
                .formatted(
                    effort,
                    result.broken().size() == Exhaustion.MOST_BROKEN
                        ? "at least " + Format.count(result.broken().size())
                        : Format.count(result.broken().size())));
        return ExitCode.FAILED;
      }
      if (interruption.requested()) {
        terminal.result("interrupted after %s; none broke an invariant".formatted(effort));
        return ExitCode.INTERRUPTED;
      }
      terminal.result(
          Terminal.Colour.GOOD,
          "%s: %s; no invariant was broken%s"
              .formatted(
                  effort,
                  result.complete()
                      ? "all orders"
                      : "every state within the first %s, and from each one order in turn"
                          .formatted(Format.counted(depth, "choice")),
                  // Where a failure is expected, it may be that of a wait whose limit has passed.
                  !faults && scenario.expectation(0).isCompletionOnly()
                      ? ", and no wait was for ever"
                      : ""));
      return ExitCode.COMPLETED;
    }
  }

  /** Reduces the first run that broke an invariant; null if none did. */
  private @Nullable Reduction reduce(
      Scenario scenario, Exhaustion.Result result, SearchOutputs outputs, BooleanSupplier stop)
      throws IOException, InterruptedException {
    if (result.broken().isEmpty()) {
      return null;
    }
    ScheduledRun broken = result.broken().getFirst();
    Reduction reduction =
        Reduction.of(
            managers, broken.asMade().hasRare() ? scenario.withAnyEnd() : scenario, broken, stop);
    for (String problem : reduction.run().problems()) {
      terminal.result(Terminal.Colour.BAD, problem);
    }
    reduction.tell(terminal, outputs.reduced());
    return reduction;
  }

  /** The verdict; the names of the components are those of the members. */
  private record Json(
      String verdict,
      String scenario,
      long seed,
      int depth,
      long states,
      long runs,
      boolean complete,
      int broken,
      Reduction.@Nullable Json reduced,
      double seconds) {}

  private static Json verdict(
      Scenario scenario,
      int depth,
      Exhaustion.Result result,
      @Nullable Reduction reduction,
      long nanos,
      boolean interrupted) {
    return new Json(
        reduction != null
            ? VerdictJson.BAD
            : interrupted ? VerdictJson.INTERRUPTED : VerdictJson.GOOD,
        scenario.name(),
        scenario.seed(),
        depth,
        result.states(),
        result.runs(),
        result.complete(),
        result.broken().size(),
        reduction == null ? null : reduction.json(),
        nanos / (double) TimeUnit.SECONDS.toNanos(1));
  }

  private synchronized void show(long states, long runs, int left) {
    String text =
        "%s, %s, %s to continue"
            .formatted(
                Format.counted(states, "state"), Format.counted(runs, "run"), Format.count(left));
    if (terminal.redraws()) {
      terminal.redraw(List.of(text));
    } else if (runs % MESSAGE_EVERY == 0) {
      terminal.message(text);
    }
  }
}
