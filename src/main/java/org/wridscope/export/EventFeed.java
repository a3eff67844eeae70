// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventLog;

/** All events of a session: those of its recording, or those that its log still has. */
final class EventFeed {
  private static final int PIECE = 1 << 12;

  private EventFeed() {}

  /** The number of events. */
  static long count(Session session) {
    Recorded recorded = session.recorded().orElse(null);
    if (recorded != null) {
      return recorded.events();
    }
    EventLog log = session.telemetry().log();
    return log.size() - log.oldest();
  }

  /** Passes on the events that are present now, in their order. */
  static void forEach(Session session, Meter meter, RowSink<Event> sink) throws IOException {
    Recorded recorded = session.recorded().orElse(null);
    if (recorded != null) {
      recorded.forEachEvent(event -> {
        meter.count();
        sink.row(event);
      });
      return;
    }
    EventLog log = session.telemetry().log();
    long end = log.size();
    long next = log.oldest();
    while (next < end) {
      // Copied in pieces, because the log is locked while it is read.
      List<Event> piece = log.read(next, (int) Math.min(PIECE, end - next));
      for (Event event : piece) {
        meter.count();
        sink.row(event);
      }
      next = piece.isEmpty() ? end : piece.getLast().number() + 1;
    }
  }
}
