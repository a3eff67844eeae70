// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.History;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * What a session's history knows of the time before its recording began: the metrics, and of the
 * rest the status, as far as its events are still kept. Control messages are not counted before.
 */
final class PastSamples {
  private static final Metric[] METRICS = Metric.values();
  private static final int PIECE = 4_096;

  private final SessionTelemetry telemetry;
  private final List<Event> statuses = new ArrayList<>();

  PastSamples(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
    long next = telemetry.log().oldest();
    long end = telemetry.log().size();
    while (next < end) {
      next =
          telemetry
              .log()
              .read(
                  next,
                  PIECE,
                  (number, nanos, kind, detail, length, wrid, argument) -> {
                    if (kind == EventKind.STATUS) {
                      statuses.add(new Event(number, nanos, kind, detail, length, wrid, argument));
                    }
                    return true;
                  });
    }
  }

  /** What is done after each sample. */
  @FunctionalInterface
  interface AfterEach {
    void run() throws IOException;
  }

  void encode(SampleEncoder into, AfterEach afterEach) throws IOException {
    History history = telemetry.history();
    long[] times = new long[history.capacity()];
    long[][] values = new long[METRICS.length][history.capacity()];
    int count = history.copy(Long.MIN_VALUE, Long.MAX_VALUE, METRICS, times, values);
    var sample = new Sample();
    for (int i = 0; i < count; i++) {
      sample.nanos = times[i];
      for (Metric metric : METRICS) {
        sample.values[metric.ordinal()] = values[metric.ordinal()][i];
      }
      sample.setPast(statusAt(times[i]), false, -1);
      into.add(sample);
      afterEach.run();
    }
  }

  private MigrationStatus statusAt(long nanos) {
    MigrationStatus status = MigrationStatus.NONE;
    for (Event event : statuses) {
      if (event.nanos() <= nanos) {
        status = MigrationStatus.values()[event.detail()];
      }
    }
    return status;
  }
}
