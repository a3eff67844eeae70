// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;

/**
 * Reduces a scenario and a schedule that break an invariant to the fewest faults and choices that
 * still break it in the same way: delta debugging (Zeller and Hildebrandt, "Simplifying and
 * Isolating Failure-Inducing Input", 2002).
 */
public final class Shrinking {
  private final Supplier<? extends SessionManager> managers;
  private final BooleanSupplier stop;
  private Scenario scenario;
  private ScheduledRun run;
  private int runs;

  private Shrinking(
      Supplier<? extends SessionManager> managers,
      Scenario scenario,
      ScheduledRun run,
      BooleanSupplier stop) {
    this.managers = managers;
    this.stop = stop;
    this.scenario = scenario;
    this.run = run;
  }

  /**
   * The result.
   *
   * @param runs how many it took
   */
  public record Shrunk(Scenario scenario, ScheduledRun run, int runs) {
    /** The scenario with the schedule that is left. */
    public Scenario withSchedule() {
      return scenario.with(run.asMade());
    }
  }

  /**
   * Reduces.
   *
   * @param broken a run of the scenario that breaks an invariant
   * @param stop asked before each run; if true, it is left as far reduced as it is
   */
  public static Shrunk shrink(
      Supplier<? extends SessionManager> managers,
      Scenario scenario,
      ScheduledRun broken,
      BooleanSupplier stop)
      throws IOException, InterruptedException {
    var shrinking = new Shrinking(managers, scenario, broken, stop);
    int before;
    do {
      before = shrinking.size();
      shrinking.dropFaults();
      shrinking.dropChoices();
      shrinking.takeEarlierOptions();
    } while (shrinking.size() < before);
    return new Shrunk(shrinking.scenario, shrinking.run, shrinking.runs);
  }

  private int size() {
    return run.asMade().choices().size() + scenario.rules();
  }

  private void dropFaults() throws IOException, InterruptedException {
    for (int rule = scenario.rules() - 1; rule >= 0; rule--) {
      boolean _ = breaks(scenario.withoutRule(rule), run.asMade());
    }
  }

  /** Leaves out larger, then smaller parts, as long as the same breaks. */
  private void dropChoices() throws IOException, InterruptedException {
    int parts = 1;
    while (!run.asMade().choices().isEmpty()) {
      int size = run.asMade().choices().size();
      if (dropPart(Math.ceilDiv(size, parts))) {
        parts = Math.max(1, parts - 1);
      } else if (parts >= size) {
        return;
      } else {
        parts = Math.min(size, parts * 2);
      }
    }
  }

  private boolean dropPart(int length) throws IOException, InterruptedException {
    List<Map.Entry<Long, Integer>> all = new ArrayList<>(run.asMade().choices().entrySet());
    // The last ones first: what comes after them cannot be changed by leaving them out.
    for (int end = all.size(); end > 0; end -= length) {
      SortedMap<Long, Integer> rest = new TreeMap<>();
      for (int i = 0; i < all.size(); i++) {
        if (i < end - length || i >= end) {
          rest.put(all.get(i).getKey(), all.get(i).getValue());
        }
      }
      if (breaks(scenario, Schedule.inTurnExcept(rest))) {
        return true;
      }
    }
    return false;
  }

  /** Takes an option with an earlier turn where that breaks the same. */
  private void takeEarlierOptions() throws IOException, InterruptedException {
    for (Map.Entry<Long, Integer> choice : List.copyOf(run.asMade().choices().entrySet())) {
      for (int option = 1; option < choice.getValue(); option++) {
        SortedMap<Long, Integer> other = new TreeMap<>(run.asMade().choices());
        if (other.replace(choice.getKey(), option) != null
            && breaks(scenario, Schedule.inTurnExcept(other))) {
          break;
        }
      }
    }
  }

  /** Tries a smaller candidate, and keeps it if it breaks the same invariant in the same way. */
  private boolean breaks(Scenario candidate, Schedule schedule)
      throws IOException, InterruptedException {
    if (stop.getAsBoolean()) {
      return false;
    }
    runs++;
    ScheduledRun tried = ScheduledRun.of(managers, candidate, schedule);
    boolean smaller =
        candidate.rules() + tried.asMade().choices().size() < size()
            || tried.asMade().choices().size() <= run.asMade().choices().size();
    if (!tried.kind().equals(run.kind()) || !smaller) {
      return false;
    }
    scenario = candidate;
    run = tried;
    return true;
  }
}
