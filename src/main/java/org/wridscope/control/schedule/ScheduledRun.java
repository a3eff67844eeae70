// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.wridscope.control.Lab;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.time.Chooser;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;

/**
 * What came of a scenario's first run under a schedule.
 *
 * @param status of the source at its end
 * @param problems a sentence for each invariant that was broken
 * @param made notes the choices
 * @param nanos how long the run took by the scheduler's clock
 * @param rare the rare choices that were made, and at which steps of the migration
 */
public record ScheduledRun(
    MigrationStatus status,
    List<String> problems,
    ScheduleChooser made,
    long nanos,
    List<Happening> rare) {

  public ScheduledRun {
    problems = List.copyOf(problems);
    rare = List.copyOf(rare);
  }

  /**
   * A rare choice: it happens by a fault, a stranger or a user, not by itself.
   *
   * @param step of the source when it happened: one of its phases, or of the downtime
   */
  public record Happening(String what, String step) {}

  /** The schedule, told by the choices that were out of turn. */
  public Schedule asMade() {
    return made.asMade();
  }

  private static final String SWITCH_OVER = "switch-over";

  /** How many choices were made. */
  public long choices() {
    return made.made();
  }

  /** Whether no invariant was broken. */
  public boolean good() {
    return problems.isEmpty();
  }

  /**
   * What is wrong, without the numbers in it: equal for runs that break the same invariant in the
   * same way. Empty if nothing is.
   */
  public String kind() {
    return problems.isEmpty() ? "" : problems.getFirst().replaceAll(":.*|[0-9][0-9.,]*", "");
  }

  /**
   * Runs a scenario once.
   *
   * @param managers makes the manager of its sessions
   */
  public static ScheduledRun of(
      Supplier<? extends SessionManager> managers, Scenario scenario, Schedule schedule)
      throws IOException, InterruptedException {
    var chooser = new ScheduleChooser(schedule);
    return of(chooser, chooser, managers, scenario);
  }

  /**
   * Runs a scenario once.
   *
   * @param made notes what the chooser chooses
   */
  static ScheduledRun of(
      Chooser chooser,
      ScheduleChooser made,
      Supplier<? extends SessionManager> managers,
      Scenario scenario)
      throws IOException, InterruptedException {
    return under(
        chooser,
        scenario.seed(),
        () -> {
          try (SessionManager sessions = managers.get()) {
            Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
            Verdict verdict = Verdict.await(scenario, 0, lab, () -> {});
            Time.nothingRare();
            return new ScheduledRun(
                lab.source().status(),
                problems(lab, verdict),
                made,
                Time.nanos(),
                happenings(lab.source(), made));
          }
        });
  }

  private static List<Happening> happenings(Session source, ScheduleChooser made) {
    List<Happening> found = new ArrayList<>();
    for (ScheduleChooser.Rare rare : made.rare()) {
      found.add(new Happening(rare.what(), stepAt(source, rare.nanos())));
    }
    return found;
  }

  private static String stepAt(Session source, long nanos) {
    Phase last = null;
    for (Phase phase : source.phases()) {
      if (phase.nanos() <= nanos) {
        last = phase;
      }
    }
    if (last == null) {
      return "before";
    }
    if (last.kind() != Phase.Kind.SWITCH_OVER) {
      return last.isRound() ? "rounds" : last.name();
    }
    // It begins after the first part of the downtime, the pause.
    double end = last.nanos();
    for (Map.Entry<DowntimePart, Double> part : source.report().downtimePhases().entrySet()) {
      if (part.getKey() != DowntimePart.PAUSE) {
        end += part.getValue() * TimeUnit.MILLISECONDS.toNanos(1);
        if (nanos < end) {
          return part.getKey().text();
        }
      }
    }
    return SWITCH_OVER;
  }

  /**
   * Does work under a scheduler.
   *
   * @param seed of the random numbers that it draws
   */
  public static <T> T under(Chooser chooser, long seed, Callable<T> work)
      throws IOException, InterruptedException {
    return under(chooser, seed, RuntimeException.class, work);
  }

  /**
   * Does work under a scheduler that may also throw another exception.
   *
   * @param seed of the random numbers that it draws
   */
  public static <T, E extends Exception> T under(
      Chooser chooser, long seed, Class<E> other, Callable<T> work)
      throws E, IOException, InterruptedException {
    try {
      return Scheduler.run(chooser, seed, work);
    } catch (ExecutionException e) {
      if (other.isInstance(e.getCause())) {
        throw other.cast(e.getCause());
      }
      switch (e.getCause()) {
        case IOException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  /** The problems that the verdict found, and completions that were dropped. */
  private static List<String> problems(Lab lab, Verdict verdict) {
    List<String> problems = new ArrayList<>(verdict.problems());
    String hang = Verdict.hang(lab);
    if (hang != null && !problems.contains(hang)) {
      problems.add(hang);
    }
    return problems;
  }
}
