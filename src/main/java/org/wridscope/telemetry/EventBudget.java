// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * The memory that all event logs of the process share. When it is used up, the session that ended
 * first loses its oldest events, except its newest segment, which shows how it ended. When no ended
 * session has more than that, the largest log loses its oldest events. Thread-safe.
 */
final class EventBudget {
  /** A quarter of the heap: analyses of the events, and views, need memory as well. */
  static final EventBudget OF_PROCESS =
      new EventBudget(
          (int) Math.max(8, Runtime.getRuntime().maxMemory() / 4 / EventLog.SEGMENT_BYTES));

  private final int segments;
  private final List<WeakReference<EventLog>> logs = new ArrayList<>();

  /**
   * @param segments upper limit for all logs together; each log may exceed it by one segment for a
   *     moment
   */
  EventBudget(int segments) {
    this.segments = segments;
  }

  synchronized void join(EventLog log) {
    logs.add(new WeakReference<>(log));
  }

  /** A log whose session is closed counts no more, although it may still be read. */
  synchronized void leave(EventLog log) {
    logs.removeIf(each -> each.refersTo(log));
  }

  /**
   * Discards segments until one more fits. The caller must not hold the lock of a log, or logs that
   * share a budget could deadlock.
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
