// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Lab;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.settings.MigrationSetting;

/**
 * What came of a scenario, as JSON. Seed, order and choices are those with which it can be run
 * again; members without a value are left out.
 */
final class VerdictJson {
  static final String GOOD = "as expected";
  static final String BAD = "not as expected";
  static final String INTERRUPTED = "interrupted";

  private final Scenario scenario;
  private final boolean scheduled;
  private final List<Run> runs = new ArrayList<>();

  /**
   * @param scheduled whether its schedule decides the order, or else the machine
   */
  VerdictJson(Scenario scenario, boolean scheduled) {
    this.scenario = scenario;
    this.scheduled = scheduled;
  }

  /** All of it; the names of the components are those of the members. */
  private record All(
      String verdict,
      String scenario,
      long seed,
      String completionQueues,
      boolean realTime,
      @Nullable Long order,
      @Nullable Boolean inTurn,
      @Nullable List<ChoiceJson> choices,
      List<Run> runs) {}

  /** Times are in milliseconds. */
  private record Run(
      int run,
      String verdict,
      List<String> problems,
      String status,
      @Nullable String outcome,
      String destinationStatus,
      @Nullable String destinationOutcome,
      long totalTime,
      @Nullable Long choicesMade) {}

  /**
   * Adds a run that has ended.
   *
   * @param choicesMade in it
   */
  void add(Lab lab, Verdict verdict, long choicesMade) {
    runs.add(
        new Run(
            runs.size(),
            verdict.good() ? GOOD : BAD,
            verdict.problems(),
            lab.source().status().qemuName(),
            lab.source().outcome(),
            lab.destination().status().qemuName(),
            lab.destination().outcome(),
            lab.source().report().totalTime(),
            scheduled ? choicesMade : null));
  }

  /**
   * The text.
   *
   * @param interrupted whether runs are missing
   * @param does what the schedule's choices did, by their numbers
   */
  String text(boolean interrupted, Map<Long, String> does) {
    boolean good = runs.stream().allMatch(run -> run.problems.isEmpty());
    Schedule schedule = scenario.schedule();
    return ReportJson.GSON.toJson(
            new All(
                interrupted ? INTERRUPTED : good ? GOOD : BAD,
                scenario.name(),
                scenario.seed(),
                scenario.lab().get(MigrationSetting.COMPLETION_QUEUES).text(),
                !scheduled,
                scheduled ? schedule.seed() : null,
                scheduled ? schedule.isInTurn() : null,
                scheduled && !schedule.choices().isEmpty() ? ChoiceJson.of(schedule, does) : null,
                runs))
        + "\n";
  }
}
