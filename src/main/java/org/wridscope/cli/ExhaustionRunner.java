// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
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
   * @return the status with which the process exits: 0 if no invariant was broken
   */
  ExitCode run(Scenario scenario, int depth) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    try (var interruption = new Interruption(Session.END_PATIENCE)) {
      Exhaustion.Result result =
          Exhaustion.run(
              managers, scenario.unmonitored(), depth, interruption::requested, this::show);
      String effort =
          "%s of the migration in %s, which took %s"
              .formatted(
                  Format.counted(result.states(), "state"),
                  Format.counted(result.runs(), "run"),
                  Format.duration(System.nanoTime() - begin));
      if (!result.broken().isEmpty()) {
        tell(result.broken().getFirst());
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
          "%s: %s; no invariant was broken, and no wait was for ever"
              .formatted(
                  effort,
                  result.complete()
                      ? "all orders"
                      : "all orders of the first %s, and what follows them in turn"
                          .formatted(Format.counted(depth, "choice"))));
      return ExitCode.COMPLETED;
    }
  }

  private void tell(ScheduledRun broken) {
    terminal.result(
        "%s out of turn: %s"
            .formatted(
                Format.counted(broken.asMade().choices().size(), "choice"),
                broken.asMade().choices()));
    for (String problem : broken.problems()) {
      terminal.result(Terminal.Colour.BAD, problem);
    }
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
