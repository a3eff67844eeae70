// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * The moments at which completions of one queue failed, as far as the event log still has them. The
 * log is long, so it is read only after the counter of failures has changed.
 */
final class FailedCompletions {
  private static final int MOST = 4096;
  private static final int BATCH = 4096;

  /** The sampler fills the log, so it lags behind the counter by up to this. */
  private static final long LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final EventKind kind;
  private long[] times = new long[16];
  private int size;
  private long counted;
  private long read;
  private long readUntil;

  /**
   * @param kind {@link EventKind#COMPLETION_SEND_QUEUE} or {@link
   *     EventKind#COMPLETION_RECEIVE_QUEUE}
   */
  FailedCompletions(EventKind kind) {
    this.kind = kind;
  }

  void clear() {
    size = 0;
    counted = 0;
    read = 0;
    readUntil = 0;
  }

  /** Reads new failures. Returns whether there were any. */
  boolean update(SessionTelemetry telemetry, long nowNanos) {
    long failed = telemetry.metrics().get(Metric.FAILED_COMPLETIONS);
    if (failed != counted) {
      counted = failed;
      readUntil = nowNanos + LAG_NANOS;
    }
    if (readUntil == 0) {
      return false;
    }
    if (nowNanos - readUntil >= 0) {
      readUntil = 0;
    }
    int before = size;
    List<Event> events;
    do {
      events = telemetry.log().read(read, BATCH);
      for (Event event : events) {
        if (event.kind() == kind && event.detail() != 0 && size < MOST) {
          add(event.nanos());
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

  int size() {
    return size;
  }

  /** The moment at which one was taken from the completion queue. */
  long at(int index) {
    return times[index];
  }
}
