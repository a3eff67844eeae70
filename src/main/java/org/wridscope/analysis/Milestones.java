// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.Event;

/** Keeps the first and the last events that were added: how a migration began and ended. */
final class Milestones {
  private final int half;
  private final List<Event> first = new ArrayList<>();
  private final ArrayDeque<Event> last = new ArrayDeque<>();

  /**
   * @param kept upper limit of the number kept, at least 2; half of them are the first
   */
  Milestones(int kept) {
    half = kept / 2;
  }

  void add(Event event) {
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
