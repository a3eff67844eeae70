// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.recording.SessionPair;
import org.wridscope.text.Format;

/** The virtio devices of both ends, as the view shows them. */
final class VirtioModel {
  private @Nullable SessionPair pair;
  private List<DriverCheck> checks = List.of();
  private List<QueueCard> queues = List.of();

  void show(@Nullable SessionPair pair) {
    this.pair = pair;
    sample();
  }

  /** Reads the current state. */
  void sample() {
    VirtioSnapshot source = snapshot(pair == null ? null : pair.source());
    VirtioSnapshot destination = snapshot(pair == null ? null : pair.destination());
    List<DriverCheck> checked = new ArrayList<>();
    Map<String, List<QueueRow>> rows = new LinkedHashMap<>();
    if (source != null) {
      checked.add(check("Source", source));
      add(rows, source.running() ? "Source" : "Source, standing still", source.queues());
    }
    if (destination != null) {
      checked.add(check("Destination", destination));
      add(rows, "Destination, as loaded", destination.begun());
      String now = destination.running() ? "Destination" : "Destination, waiting";
      add(rows, now, destination.queues());
    }
    checks = checked;
    queues = rows.entrySet().stream().map(queue -> card(queue.getKey(), queue.getValue())).toList();
  }

  private static QueueCard card(String name, List<QueueRow> rows) {
    return new QueueCard(name, rows.getFirst().queue().size(), rows);
  }

  private static @Nullable VirtioSnapshot snapshot(@Nullable Session session) {
    return session == null
        ? null
        : session.virtio().filter(virtio -> !virtio.queues().isEmpty()).orElse(null);
  }

  private static void add(
      Map<String, List<QueueRow>> rows, String moment, List<QueueSnapshot> queues) {
    for (QueueSnapshot queue : queues) {
      rows.computeIfAbsent(queue.name(), _ -> new ArrayList<>()).add(new QueueRow(moment, queue));
    }
  }

  private static DriverCheck check(String side, VirtioSnapshot virtio) {
    return new DriverCheck(
        sentence(side, virtio),
        virtio.predicted().map(RequestFailure::prediction).orElse(null),
        virtio.observed().map(RequestFailure::observation).orElse(null));
  }

  private static String sentence(String side, VirtioSnapshot virtio) {
    long completed = virtio.queues().stream().mapToLong(QueueSnapshot::completed).sum();
    boolean sound = virtio.predicted().isEmpty() && virtio.observed().isEmpty();
    return "%s: %s requests came back%s. Map changes: %s, resets: %s."
        .formatted(
            side,
            Format.count(completed),
            sound ? ", each once, in promised order" : "",
            Format.count(virtio.mapChanges()),
            Format.count(virtio.resets()));
  }

  /** The checks of each end that has devices. */
  List<DriverCheck> checks() {
    return checks;
  }

  /** The queues of the block device, then of the network device; empty if there are none. */
  List<QueueCard> queues() {
    return queues;
  }

  /** The text shown instead of queues. */
  String nothing() {
    return pair == null
        ? "Select a session to see the virtio devices of its guest."
        : "There are no virtio devices here, or they have not arrived. A synthetic guest with 1 MiB"
            + " of RAM or more has some.";
  }
}
