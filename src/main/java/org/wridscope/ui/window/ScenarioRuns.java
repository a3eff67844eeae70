// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.wridscope.control.Lab;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.ui.sessions.Migration;
import org.wridscope.ui.sessions.StatusText;

/** Counts the runs of each scenario, and reports their results. */
final class ScenarioRuns {
  private final Executor background;
  private final Reporter reporter;
  private final Map<String, Integer> next = new HashMap<>();

  /** Receives the verdict on each run, and a sentence about it, on a background thread. */
  @FunctionalInterface
  interface Reporter {
    void report(Migration migration, Verdict verdict, String sentence);
  }

  /**
   * @param background waits for the runs to end
   */
  ScenarioRuns(Executor background, Reporter reporter) {
    this.background = background;
    this.reporter = reporter;
  }

  /** The number of the next run; the first run follows the last. */
  int next(Scenario scenario) {
    int run = next.getOrDefault(scenario.name(), 0);
    next.put(scenario.name(), (run + 1) % scenario.runs());
    return run;
  }

  /**
   * Waits in the background for the end of a run, and reports its result.
   *
   * @param migration shows the lab
   */
  void watch(Scenario scenario, int run, Lab lab, Migration migration) {
    background.execute(() -> {
      try {
        Verdict verdict = Verdict.await(scenario, run, lab, () -> {});
        reporter.report(migration, verdict, sentence(scenario, run, lab, verdict));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
  }

  private static String sentence(Scenario scenario, int run, Lab lab, Verdict verdict) {
    String which =
        scenario.runs() == 1
            ? scenario.title()
            : "%s, run %d of %d".formatted(scenario.title(), run + 1, scenario.runs());
    return verdict.good()
        ? "%s: %s, as expected.".formatted(which, StatusText.of(lab.source().status()).text())
        : "%s: not as expected. %s".formatted(which, String.join(" ", verdict.problems()));
  }
}
