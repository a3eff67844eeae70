// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.QueueSnapshot.InFlight;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;

/** Encodes changed snapshots of virtio devices into blocks of {@link BlockType#VIRTIO}. */
final class VirtioEncoder {
  static final int RUNNING = 1;
  static final int BEGUN = 2;
  static final int PREDICTED = 4;
  static final int OBSERVED = 8;

  private final ByteSink rows = new ByteSink(1 << 12);
  private final Map<String, Integer> names = new LinkedHashMap<>();
  private @Nullable VirtioSnapshot before;
  private List<QueueSnapshot> begunBefore = List.of();
  private int count;
  private long first;
  private long last;

  /** Adds a snapshot, unless it equals the previous one. */
  void add(long nanos, VirtioSnapshot snapshot) {
    if (snapshot.equals(before)) {
      return;
    }
    before = snapshot;
    if (count == 0) {
      first = nanos;
      last = nanos;
    }
    long now = Math.max(nanos, last);
    rows.number(now - last);
    boolean begun = !snapshot.begun().equals(begunBefore);
    rows.u8(
        (snapshot.running() ? RUNNING : 0)
            | (begun ? BEGUN : 0)
            | (snapshot.predicted().isPresent() ? PREDICTED : 0)
            | (snapshot.observed().isPresent() ? OBSERVED : 0));
    rows.number(snapshot.mapChanges());
    rows.number(snapshot.resets());
    queues(snapshot.queues());
    if (begun) {
      begunBefore = snapshot.begun();
      queues(begunBefore);
    }
    snapshot.predicted().ifPresent(this::failure);
    snapshot.observed().ifPresent(this::failure);
    last = now;
    count++;
  }

  private void queues(List<QueueSnapshot> queues) {
    rows.number(queues.size());
    for (QueueSnapshot queue : queues) {
      rows.number(name(queue.name()));
      rows.number(queue.size());
      rows.number(queue.availIndex());
      rows.number(queue.usedIndex());
      rows.number(queue.lastAvail());
      rows.number(queue.deviceUsed());
      rows.number(queue.lastUsed());
      rows.number(queue.nextRequest());
      rows.number(queue.completed());
      rows.number(queue.inFlight().size());
      for (InFlight request : queue.inFlight()) {
        rows.number(request.head());
        rows.number(request.request());
      }
    }
  }

  private void failure(RequestFailure failure) {
    rows.u8(failure.kind().ordinal());
    rows.number(name(failure.queue()));
    rows.number(failure.request());
    rows.number(failure.alike());
  }

  private int name(String name) {
    return names.computeIfAbsent(name, _ -> names.size());
  }

  int count() {
    return count;
  }

  boolean isFull() {
    return rows.size() >= RecordingFormat.FULL_BLOCK;
  }

  /** Writes the block and starts the next one. */
  void finish(ByteSink into) {
    into.number(names.size());
    names.keySet().forEach(into::text);
    into.number(count);
    into.signed(first);
    into.append(rows);
    rows.clear();
    names.clear();
    begunBefore = List.of();
    count = 0;
  }
}
