// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.MigrationStatus;

/**
 * Keeps the first and the last events that were added: how a migration began and ended. Rounds of a
 * source that waits for permission to switch over are left out, but for the end of the one that it
 * was in: there may be many.
 */
final class Milestones {
  private final int half;
  private final List<Event> first = new ArrayList<>();
  private final ArrayDeque<Event> last = new ArrayDeque<>();
  private boolean held;

  /** Whether the beginning of the round that has not ended is left out. */
  private boolean leftOut;

  /**
   * @param kept upper limit of the number kept, at least 2; half of them are the first
   */
  Milestones(int kept) {
    half = kept / 2;
  }

  void add(Event event) {
    switch (event.kind()) {
      case STATUS -> held = event.detail() == MigrationStatus.PRE_SWITCHOVER.ordinal();
      case ROUND_BEGIN -> {
        leftOut = held;
        if (leftOut) {
          return;
        }
      }
      case ROUND_END -> {
        if (leftOut) {
          return;
        }
      }
      default -> {}
    }
    if (first.size() < half) {
      first.add(event);
      return;
    }
    last.add(event);
    if (last.size() > half) {
      last.remove();
    }
  }

  /** All kept events, in the order of time. */
  List<Event> all() {
    var all = new ArrayList<Event>(first.size() + last.size());
    all.addAll(first);
    all.addAll(last);
    return all;
  }
}
