// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.virtio;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.text.Format;

/** The virtio devices of both ends, as the view shows them. */
final class VirtioModel {
  private @Nullable SessionPair pair;
  private @Nullable VirtioSpan span;
  private List<DriverCheck> checks = List.of();
  private List<QueueCard> queues = List.of();

  void show(@Nullable SessionPair pair) {
    this.pair = pair;
    span = null;
    sample();
  }

  /** Shows a range of time instead of the current state; null for that state again. */
  void limit(@Nullable VirtioSpan newSpan) {
    span = newSpan;
    sample();
  }

  /** Reads the current state, unless a range is shown. */
  void sample() {
    VirtioSpan of = span;
    if (of == null) {
      sampleNow();
    } else {
      List<DriverCheck> checked = new ArrayList<>();
      Map<String, List<QueueRow>> rows = new LinkedHashMap<>();
      add(checked, rows, "Source", of.source());
      add(checked, rows, "Destination", of.destination());
      take(checked, rows);
    }
  }

  private static void add(
      List<DriverCheck> checked,
      Map<String, List<QueueRow>> rows,
      String side,
      VirtioSpan.@Nullable Edges edges) {
    VirtioSnapshot end = edges == null ? null : withQueues(edges.end());
    if (edges == null || end == null) {
      return;
    }
    VirtioSnapshot begin = withQueues(edges.begin());
    checked.add(check(inRange(side, begin, end), end));
    add(rows, "%s, range begins".formatted(side), begin == null ? List.of() : begin.queues());
    add(rows, "%s, range ends".formatted(side), end.queues());
  }

  /** What happened between two snapshots, and in all until the second one. */
  private static String inRange(String side, @Nullable VirtioSnapshot begin, VirtioSnapshot end) {
    return "%s: %s requests came back in the range%s. Map changes: %s, resets: %s."
        .formatted(
            side,
            part(begin == null ? 0 : completed(begin), completed(end)),
            order(end),
            part(begin == null ? 0 : begin.mapChanges(), end.mapChanges()),
            part(begin == null ? 0 : begin.resets(), end.resets()));
  }

  private static String part(long before, long until) {
    return before == 0
        ? Format.count(until)
        : "%s of %s".formatted(Format.count(until - before), Format.count(until));
  }

  private void sampleNow() {
    VirtioSnapshot source = snapshot(pair == null ? null : pair.source());
    VirtioSnapshot destination = snapshot(pair == null ? null : pair.destination());
    List<DriverCheck> checked = new ArrayList<>();
    Map<String, List<QueueRow>> rows = new LinkedHashMap<>();
    if (source != null) {
      checked.add(check(sentence("Source", source), source));
      add(rows, source.running() ? "Source" : "Source, paused", source.queues());
    }
    if (destination != null) {
      checked.add(check(sentence("Destination", destination), destination));
      add(rows, "Destination, as loaded", destination.begun());
      String now = destination.running() ? "Destination" : "Destination, waiting";
      add(rows, now, destination.queues());
    }
    take(checked, rows);
  }

  private void take(List<DriverCheck> checked, Map<String, List<QueueRow>> rows) {
    checks = checked;
    queues = rows.entrySet().stream().map(queue -> card(queue.getKey(), queue.getValue())).toList();
  }

  private static QueueCard card(String name, List<QueueRow> rows) {
    return new QueueCard(name, rows.getFirst().queue().size(), rows);
  }

  private static @Nullable VirtioSnapshot snapshot(@Nullable Session session) {
    return session == null ? null : withQueues(session.virtio());
  }

  private static @Nullable VirtioSnapshot withQueues(Optional<VirtioSnapshot> devices) {
    return devices.filter(virtio -> !virtio.queues().isEmpty()).orElse(null);
  }

  private static void add(
      Map<String, List<QueueRow>> rows, String moment, List<QueueSnapshot> queues) {
    for (QueueSnapshot queue : queues) {
      rows.computeIfAbsent(queue.name(), _ -> new ArrayList<>()).add(new QueueRow(moment, queue));
    }
  }

  private static DriverCheck check(String sentence, VirtioSnapshot virtio) {
    return new DriverCheck(
        sentence,
        virtio.predicted().map(RequestFailure::prediction).orElse(null),
        virtio.observed().map(RequestFailure::observation).orElse(null));
  }

  private static String sentence(String side, VirtioSnapshot virtio) {
    return "%s: %s requests came back%s. Map changes: %s, resets: %s."
        .formatted(
            side,
            Format.count(completed(virtio)),
            order(virtio),
            Format.count(virtio.mapChanges()),
            Format.count(virtio.resets()));
  }

  private static long completed(VirtioSnapshot virtio) {
    return virtio.queues().stream().mapToLong(QueueSnapshot::completed).sum();
  }

  private static String order(VirtioSnapshot virtio) {
    boolean sound = virtio.predicted().isEmpty() && virtio.observed().isEmpty();
    return sound ? ", each once, in the promised order" : "";
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
        ? "Select a migration to see the virtio devices of its guest."
        : pair.leading().ofCapture()
            ? "Captured packets do not show the virtio devices of a guest."
            : ("There are no virtio devices here, or they have not arrived. A synthetic guest with"
                + " 1 MiB of RAM or more has some.");
  }
}
