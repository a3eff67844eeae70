// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;

/** A row of {@link ExportTable#VIRTIO}: a queue at a moment. */
record VirtioRow(
    Session session, long nanos, VirtioSnapshot devices, QueueSnapshot queue, Clock clock) {
  static final List<Column<VirtioRow>> COLUMNS =
      List.of(
          new Column<>("end", row -> EndReading.end(row.session.role())),
          new Column<>("time_s", row -> row.clock.seconds(row.nanos)),
          new Column<>("utc", row -> row.clock.utc(row.nanos)),
          new Column<>("queue", row -> row.queue.name()),
          new Column<>("running", row -> row.devices.running()),
          new Column<>("size", row -> row.queue.size()),
          new Column<>("available_index", row -> row.queue.availIndex()),
          new Column<>("last_available", row -> row.queue.lastAvail()),
          new Column<>("device_used", row -> row.queue.deviceUsed()),
          new Column<>("used_index", row -> row.queue.usedIndex()),
          new Column<>("last_used", row -> row.queue.lastUsed()),
          new Column<>("in_flight", row -> row.queue.inFlight().size()),
          new Column<>("requests_in_flight", row -> inFlight(row.queue)),
          new Column<>("next_request", row -> row.queue.nextRequest()),
          new Column<>("completed", row -> row.queue.completed()),
          new Column<>("map_changes", row -> row.devices.mapChanges()),
          new Column<>("resets", row -> row.devices.resets()),
          new Column<>(
              "predicted",
              row -> row.devices.predicted().map(RequestFailure::prediction).orElse(null)),
          new Column<>(
              "observed",
              row -> row.devices.observed().map(RequestFailure::observation).orElse(null)));

  private static String inFlight(QueueSnapshot queue) {
    return queue.inFlight().stream()
        .map(request -> Long.toUnsignedString(request.request()))
        .collect(Collectors.joining(" "));
  }

  /** Every recorded moment; of a live session, the present one. */
  static void forEach(SessionPair ends, Clock clock, RowSink<VirtioRow> sink) throws IOException {
    for (Session session : ends.sessions()) {
      Recorded recorded = session.recorded().orElse(null);
      if (recorded != null) {
        recorded.forEachVirtio((nanos, devices) -> rows(session, nanos, devices, clock, sink));
      } else {
        VirtioSnapshot now = session.virtio().orElse(null);
        if (now != null) {
          rows(session, session.clock(System.nanoTime()), now, clock, sink);
        }
      }
    }
  }

  private static void rows(
      Session session, long nanos, VirtioSnapshot devices, Clock clock, RowSink<VirtioRow> sink)
      throws IOException {
    for (QueueSnapshot queue : devices.queues()) {
      sink.row(new VirtioRow(session, nanos, devices, queue, clock));
    }
  }
}
