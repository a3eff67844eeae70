// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.time.Chooser;
import org.wridscope.time.Option;
import org.wridscope.time.Time;

/** Chooses as a schedule says, and notes what was chosen. */
public final class ScheduleChooser implements Chooser {
  private final Schedule schedule;
  private final SplittableRandom random;

  /** Those out of turn: the number of the choice in the high, the option in the low 32 bits. */
  private long[] outOfTurn = new long[64];

  private int outOfTurns;
  private long made;

  /** The rare choices so far: those of a fault, a stranger or a user. */
  private final List<Rare> rare = new ArrayList<>();

  public ScheduleChooser(Schedule schedule) {
    this.schedule = schedule;
    random = new SplittableRandom(schedule.seed());
  }

  @Override
  public int choose(List<Option> options) {
    return choose(options, List::of);
  }

  @Override
  public int choose(List<Option> options, Supplier<? extends List<Option>> others) {
    // Drawn in any case, so that a choice that differs does not change what the seed says later.
    int byOrder = schedule.seed() == Schedule.IN_TURN ? 0 : random.nextInt(options.size());
    Integer given = schedule.choices().get(made);
    int chosen = given == null ? byOrder : possible(given, options, others);
    note(chosen, others);
    return chosen;
  }

  /** One that only notes what others choose. */
  static ScheduleChooser noting() {
    return new ScheduleChooser(Schedule.of(Schedule.IN_TURN));
  }

  /**
   * Notes the next choice.
   *
   * @param others the rare choices that were possible
   */
  void note(int chosen, Supplier<? extends List<Option>> others) {
    if (chosen < 0) {
      rare.add(Rare.of(others.get().get(~chosen)));
    }
    if (chosen != 0) {
      if (outOfTurns == outOfTurn.length) {
        outOfTurn = Arrays.copyOf(outOfTurn, 2 * outOfTurns);
      }
      outOfTurn[outOfTurns++] = made << Integer.SIZE | (chosen & 0xffff_ffffL);
    }
    made++;
  }

  /** What is nearest to a choice that was made where more was possible. */
  private static int possible(
      int given, List<Option> options, Supplier<? extends List<Option>> others) {
    if (given < 0) {
      int last = others.get().size() - 1;
      return last < 0 ? 0 : ~Math.min(~given, last);
    }
    return Math.min(given, options.size() - 1);
  }

  /**
   * A rare choice: it happens by a fault, a stranger or a user, not by itself.
   *
   * @param nanos when it happened, by the scheduler's clock
   * @param what it was, without the name of the migration and what has numbers
   */
  record Rare(long nanos, String what) {
    static Rare of(Option option) {
      String who = option.who().replaceFirst(".*\\b(source|destination)\\b", "$1");
      String what = option.what().replaceFirst(",.*", "").replaceAll("\\S*[0-9]\\S*", "").strip();
      return new Rare(Time.nanos(), who + " " + what);
    }
  }

  /** The rare choices in their order. */
  List<Rare> rare() {
    return List.copyOf(rare);
  }

  /** Whether both have made the same choices, however they came to them. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ScheduleChooser chooser
        && made == chooser.made
        && Arrays.equals(outOfTurn, 0, outOfTurns, chooser.outOfTurn, 0, chooser.outOfTurns);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(made);
  }

  /** The choices made so far. */
  public long made() {
    return made;
  }

  /** The same order, told by the choices that were out of turn. */
  public Schedule asMade() {
    SortedMap<Long, Integer> choices = new TreeMap<>();
    for (int i = 0; i < outOfTurns; i++) {
      choices.put(outOfTurn[i] >>> Integer.SIZE, (int) outOfTurn[i]);
    }
    return Schedule.inTurnExcept(choices);
  }
}
