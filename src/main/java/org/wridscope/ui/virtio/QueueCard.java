// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.wridscope.guest.virtio.QueueSnapshot.InFlight;

/**
 * A queue at both ends of a migration.
 *
 * @param size entries of each ring
 * @param rows at the source, at the destination when it was loaded, and at the destination now, as
 *     far as known
 */
record QueueCard(String name, int size, List<QueueRow> rows) {

  QueueCard {
    rows = List.copyOf(rows);
  }

  /** The numbers of the requests in flight, one line for all rows with the same ones. */
  String inFlight() {
    Map<List<InFlight>, String> moments = new LinkedHashMap<>();
    for (QueueRow row : rows) {
      moments.merge(row.queue().inFlight(), row.moment(), (one, two) -> one + "; " + two);
    }
    return moments.entrySet().stream()
        .filter(entry -> !entry.getKey().isEmpty())
        .map(entry -> "In flight. %s: %s".formatted(entry.getValue(), requests(entry.getKey())))
        .collect(Collectors.joining("\n"));
  }

  private static String requests(List<InFlight> inFlight) {
    return inFlight.stream()
        .map(request -> Long.toString(request.request()))
        .collect(Collectors.joining(", "));
  }
}
