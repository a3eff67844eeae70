// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.stepping;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javafx.application.Platform;
import javafx.beans.property.ReadOnlyObjectProperty;
import javafx.beans.property.ReadOnlyObjectWrapper;
import javafx.beans.property.ReadOnlyStringProperty;
import javafx.beans.property.ReadOnlyStringWrapper;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.control.schedule.Standing;
import org.wridscope.control.schedule.Stepping;
import org.wridscope.control.schedule.Until;
import org.wridscope.recording.file.SteppedSessions;

/**
 * A run that is stepped through in the window. Whoever goes back leaves a future, which can be
 * compared with the one that is chosen instead. For the JavaFX thread only.
 */
public final class SteppedRun {
  private final Scenario scenario;
  private final Executor background;
  private final Stepping stepping;
  private final ReadOnlyObjectWrapper<@Nullable Standing> standing =
      new ReadOnlyObjectWrapper<>(this, "standing", null);
  private final ReadOnlyStringWrapper problem = new ReadOnlyStringWrapper(this, "problem", "");
  private volatile SteppedSessions copies;
  private @Nullable SessionPair pair;

  /** Where it stood, by the number of the choice, on the way to where it stands. */
  private final NavigableMap<Long, Standing.AtChoice> stood = new TreeMap<>();

  /** The futures that were left by going back, the last one first. */
  private final Deque<Left> left = new ArrayDeque<>();

  private boolean closed;

  /** What leads through it; null if nothing does. */
  private final @Nullable Tour tour;

  /**
   * A future that was left.
   *
   * @param number of its choices
   */
  private record Left(Schedule schedule, long number) {
    /** Whether a schedule with so many choices is its beginning. */
    boolean beginsWith(Schedule other, long choices) {
      return choices <= number && schedule.choices().headMap(choices).equals(other.choices());
    }
  }

  /**
   * A future.
   *
   * @param name what distinguishes it from the other one
   * @param scenario with its choices
   */
  public record Future(String name, Scenario scenario) {}

  /**
   * Begins a run, which stands still at its first choice.
   *
   * @param managers makes the manager of a run's sessions
   * @param name of the run; the names of its sessions begin with it
   * @param background may wait
   * @param guided whether the tour leads through it
   */
  public SteppedRun(
      Supplier<? extends SessionManager> managers,
      Scenario scenario,
      String name,
      Executor background,
      boolean guided) {
    this.scenario = scenario;
    tour = guided ? new Tour() : null;
    this.background = background;
    copies = new SteppedSessions(name);
    stepping =
        new Stepping(
            managers,
            scenario,
            () -> {
              var ofRun = new SteppedSessions(name);
              copies = ofRun;
              return ofRun::look;
            });
    await();
  }

  public Scenario scenario() {
    return scenario;
  }

  /** What leads through it; null if nothing does. */
  @Nullable Tour tour() {
    return tour;
  }

  /** Where it stands still; null while it goes on. */
  public ReadOnlyObjectProperty<@Nullable Standing> standingProperty() {
    return standing.getReadOnlyProperty();
  }

  /** Where it stands still; null while it goes on. */
  public @Nullable Standing standing() {
    return standing.get();
  }

  /** A sentence that says what is wrong with the last command; empty if nothing is. */
  public ReadOnlyStringProperty problemProperty() {
    return problem.getReadOnlyProperty();
  }

  /**
   * Its sessions as they are where it stands, or stood last; null as long as it never stood. Others
   * after a step back.
   */
  public @Nullable SessionPair pair() {
    return pair;
  }

  // ------------------------------------------------------------------------------------- commands

  /** Takes the option with an index. */
  void take(int index) {
    tell(() -> stepping.take(index), () -> {});
  }

  /** Goes on in the scenario's order. */
  void goOn(Until until) {
    tell(() -> stepping.goOnUntil(until), () -> {});
  }

  /** Goes on in the random order of a seed. */
  void goOn(Until until, long seed) {
    tell(() -> stepping.goOnUntil(until, seed), () -> {});
  }

  /** Goes on, and keeps an option back as long as something else can be chosen. */
  void goOnWithout(int index, Until until) {
    tell(() -> stepping.goOnWithout(index, until), () -> {});
  }

  /** The same in the random order of a seed. */
  void goOnWithout(int index, Until until, long seed) {
    tell(() -> stepping.goOnWithout(index, until, seed), () -> {});
  }

  /** Stands still at the next choice. */
  void halt() {
    stepping.halt();
  }

  /** Goes back to a choice that was made. */
  void back(long number) {
    Standing from = standing.get();
    Schedule present = stepping.schedule();
    tell(
        () -> stepping.back(number),
        () -> {
          if (from != null
              && left.stream().noneMatch(each -> each.beginsWith(present, from.number()))) {
            left.push(new Left(present, from.number()));
          }
        });
  }

  /** The last future that was left by going back and the present one; empty if none differs. */
  public List<Future> futures() {
    Standing now = standing.get();
    if (now == null) {
      return List.of();
    }
    Schedule present = stepping.schedule();
    for (Left each : left) {
      long parting = firstDifference(present, each.schedule);
      if (parting < Math.min(now.number(), each.number)) {
        return List.of(future(parting, each.schedule), future(parting, present));
      }
    }
    return List.of();
  }

  private static long firstDifference(Schedule one, Schedule other) {
    return Stream.of(one, other)
        .flatMap(schedule -> schedule.choices().keySet().stream())
        .filter(at -> !Objects.equals(one.choices().get(at), other.choices().get(at)))
        .min(Comparator.naturalOrder())
        .orElse(Long.MAX_VALUE);
  }

  private Future future(long parting, Schedule schedule) {
    int taken = schedule.choices().getOrDefault(parting, 0);
    Standing.AtChoice choice = stood.get(parting);
    return new Future(
        choice == null
            ? "choice %d takes %d".formatted(parting, taken)
            : name(choice.possibilities(), taken),
        scenario.with(schedule));
  }

  private static String name(List<Standing.Possibility> options, int taken) {
    int regular = (int) options.stream().filter(option -> !option.rare()).count();
    Standing.Possibility option = options.get(taken < 0 ? regular + ~taken : taken);
    return option.who() + " " + option.what();
  }

  /** The scenario with the choices made so far. */
  public Scenario withSchedule() {
    return stepping.withSchedule();
  }

  /**
   * @param then runs if the command is possible
   */
  private void tell(Runnable command, Runnable then) {
    Standing from = standing.get();
    if (from == null) {
      return;
    }
    try {
      command.run();
    } catch (IllegalArgumentException | IllegalStateException e) {
      problem.set(String.valueOf(e.getMessage()));
      return;
    }
    problem.set("");
    then.run();
    stood.tailMap(from.number(), false).clear();
    standing.set(null);
    await();
  }

  private void await() {
    background.execute(() -> {
      try {
        Standing now = stepping.await();
        SessionPair there = copies.pair();
        Platform.runLater(() -> {
          if (closed) {
            return;
          }
          pair = there;
          if (now instanceof Standing.AtChoice choice) {
            stood.put(choice.number(), choice);
          }
          standing.set(now);
        });
      } catch (IOException | IllegalStateException e) {
        Platform.runLater(() -> fail(e));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
  }

  private void fail(Exception e) {
    if (!closed) {
      problem.set("The run cannot go on: %s".formatted(e.getMessage()));
    }
  }

  /** Ends the run, and waits for that in the background. */
  public void close() {
    closed = true;
    background.execute(stepping::close);
  }
}
