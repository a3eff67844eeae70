// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An order of events: who goes on wherever more than one can. Equal schedules of equal scenarios
 * give equal runs.
 *
 * @param seed of the random order; {@link #IN_TURN} for none: each gets its turn
 * @param choices that differ from it: the number of the choice, counted from 0, and the index of
 *     the option that is taken, counted from 0 in the order of turns; {@code ~index}, which is
 *     negative, of what does not happen by itself
 */
public record Schedule(long seed, SortedMap<Long, Integer> choices) {
  /** The seed of the order in which each gets its turn. */
  public static final long IN_TURN = 0;

  public Schedule {
    choices = Collections.unmodifiableSortedMap(new TreeMap<>(choices));
  }

  /** Whether each gets its turn, at every choice. */
  public boolean isInTurn() {
    return seed == IN_TURN && choices.isEmpty();
  }

  /** Whether something is taken that does not happen by itself. */
  public boolean hasRare() {
    return choices.values().stream().anyMatch(taken -> taken < 0);
  }

  /** The order of a seed. */
  public static Schedule of(long seed) {
    return new Schedule(seed, Collections.emptySortedMap());
  }

  /** The order in which each gets its turn, except at these choices. */
  public static Schedule inTurnExcept(SortedMap<Long, Integer> choices) {
    return new Schedule(IN_TURN, choices);
  }
}
