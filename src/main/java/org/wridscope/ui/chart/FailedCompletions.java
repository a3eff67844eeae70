// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * The moments at which completions of some kinds failed or were dropped, as far as the event log
 * still has them. The log is long, so it is read only after a counter has changed.
 */
final class FailedCompletions {
  private static final int MOST = 4096;
  private static final int BATCH = 4096;

  /** The sampler fills the log, so it lags behind the counter by up to this. */
  private static final long LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Set<EventKind> kinds;
  private long[] times = new long[16];
  private int size;
  private int dropped;
  private long counted;
  private long read;
  private long readUntil;

  /**
   * @param kinds {@link EventKind#COMPLETION_SEND_QUEUE}, {@link
   *     EventKind#COMPLETION_RECEIVE_QUEUE} and {@link EventKind#COMPLETION_DROPPED}
   */
  FailedCompletions(Set<EventKind> kinds) {
    this.kinds = kinds;
  }

  void clear() {
    size = 0;
    dropped = 0;
    counted = 0;
    read = 0;
    readUntil = 0;
  }

  /** Reads new failures. Returns whether what is known of them has changed. */
  boolean update(SessionTelemetry telemetry, long nowNanos) {
    long now =
        telemetry.metrics().get(Metric.FAILED_COMPLETIONS)
            + telemetry.metrics().get(Metric.COMPLETIONS_DROPPED);
    int before = size;
    if (now < counted) {
      // A recording went back in time.
      clear();
    }
    if (now != counted) {
      counted = now;
      readUntil = nowNanos + LAG_NANOS;
    }
    if (readUntil == 0) {
      return size != before;
    }
    if (nowNanos - readUntil >= 0) {
      readUntil = 0;
    }
    List<Event> events;
    do {
      events = telemetry.log().read(read, BATCH);
      for (Event event : events) {
        boolean isDropped = event.kind() == EventKind.COMPLETION_DROPPED;
        if (kinds.contains(event.kind()) && (isDropped || event.detail() != 0) && size < MOST) {
          add(event.nanos());
          dropped += isDropped ? 1 : 0;
        }
      }
      if (!events.isEmpty()) {
        read = events.getLast().number() + 1;
      }
    } while (events.size() == BATCH);
    return size != before;
  }

  private void add(long nanos) {
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
    }
    times[size++] = nanos;
  }

  /** How many failed or were dropped. */
  int size() {
    return size;
  }

  /** How many were dropped. */
  int dropped() {
    return dropped;
  }

  /** The moment at which one was taken from the completion queue. */
  long at(int index) {
    return times[index];
  }
}
