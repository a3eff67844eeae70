// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * What a session's history knows of the time before its recording began: the metrics, and of the
 * rest the status, as far as its events are still kept. Control messages are not counted before.
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
