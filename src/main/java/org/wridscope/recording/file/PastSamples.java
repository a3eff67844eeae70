// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * Samples from a session's history for the time before its recording began. They have the metrics
 * and, as far as events are still kept, the status, but no counts of control messages.
 */
final class PastSamples {
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

  void encode(SampleEncoder into) {
    var sample = new Sample();
    telemetry
        .history()
        .forEach((nanos, metrics) -> {
          sample.nanos = nanos;
          sample.setMetrics(metrics);
          sample.setPast(statusAt(nanos), false, -1);
          into.add(sample);
        });
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
