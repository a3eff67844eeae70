// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.wridscope.control.Lab;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Verdict;

/** Which run of each scenario comes next, and what came of those that ended. */
final class ScenarioRuns {
  private final Executor background;
  private final Teller teller;
  private final Map<String, Integer> next = new HashMap<>();

  /** Gets a sentence about each run, on a thread of the background. */
  @FunctionalInterface
  interface Teller {
    void tell(boolean good, String sentence);
  }

  /**
   * @param background waits for the ends
   */
  ScenarioRuns(Executor background, Teller teller) {
    this.background = background;
    this.teller = teller;
  }

  /** The number of the run that comes next; after the last one the first comes again. */
  int next(Scenario scenario) {
    int run = next.getOrDefault(scenario.name(), 0);
    next.put(scenario.name(), (run + 1) % scenario.runs());
    return run;
  }

  /** Waits for the end of a run, in the background, and tells what came of it. */
  void watch(Scenario scenario, int run, Lab lab) {
    background.execute(() -> {
      try {
        Verdict verdict = Verdict.await(scenario, run, lab, () -> {});
        teller.tell(verdict.good(), sentence(scenario, run, lab, verdict));
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
        ? "%s: %s, as expected.".formatted(which, lab.source().status().qemuName())
        : "%s: not as expected. %s".formatted(which, String.join(" ", verdict.problems()));
  }
}
