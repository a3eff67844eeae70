// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.List;
import java.util.stream.Collectors;
import org.wridscope.guest.virtio.QueueSnapshot.InFlight;

/**
 * A queue through a migration.
 *
 * @param size entries of each ring
 * @param rows the source's, the destination's as it arrived, and the destination's as it is now, as
 *     far as they are there
 */
record QueueCard(String name, int size, List<QueueRow> rows) {

  QueueCard {
    rows = List.copyOf(rows);
  }

  /** The requests in flight in each row where there are any, a line each. */
  String inFlight() {
    return rows.stream()
        .filter(row -> !row.queue().inFlight().isEmpty())
        .map(row -> "%s: %s".formatted(row.moment(), requests(row.queue().inFlight())))
        .collect(Collectors.joining("\n"));
  }

  private static String requests(List<InFlight> inFlight) {
    return inFlight.stream()
        .map(request -> "%d (head %d)".formatted(request.request(), request.head()))
        .collect(Collectors.joining(", "));
  }
}
