// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The memory that all event logs of the process share. When it is used up, the log of the session
 * that ended the longest ago gives up its oldest events, but for its newest segment, which tells
 * how it ended; when there is nothing left of those, the largest log does. Thread-safe.
 */
final class EventBudget {
  /** A quarter of the heap: what is read out of events takes room as well, and so do views. */
  static final EventBudget OF_PROCESS =
      new EventBudget(
          (int) Math.max(8, Runtime.getRuntime().maxMemory() / 4 / EventLog.SEGMENT_BYTES));

  private final int segments;
  private final List<WeakReference<EventLog>> logs = new ArrayList<>();

  /**
   * @param segments of all logs together; each log may have one more while it takes it
   */
  EventBudget(int segments) {
    this.segments = segments;
  }

  synchronized void join(EventLog log) {
    logs.add(new WeakReference<>(log));
  }

  /**
   * Sees to it that one more segment fits. The caller must not hold the lock of a log: those who
   * share a budget would wait for each other.
   */
  synchronized void makeRoom() {
    logs.removeIf(log -> log.refersTo(null));
    List<EventLog> alive = logs.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
    int used = alive.stream().mapToInt(EventLog::segments).sum();
    while (used >= segments) {
      EventLog victim =
          alive.stream()
              .filter(log -> log.endNanos() != EventLog.NOT_ENDED && log.segments() > 1)
              .min(Comparator.comparingLong(EventLog::endNanos))
              .orElseGet(
                  () -> alive.stream().max(Comparator.comparingInt(EventLog::segments)).get());
      if (!victim.shrink()) {
        return;
      }
      used--;
    }
  }
}
