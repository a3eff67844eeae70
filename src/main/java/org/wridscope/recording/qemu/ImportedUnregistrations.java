// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.imported.ImportedRegistrations;
import org.wridscope.recording.imported.ImportedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.UnregisterStep;

/**
 * Registrations that were given back before the end, in a session that is imported from a trace log
 * of QEMU.
 *
 * <p>The source's events name a chunk but not its block. QEMU puts a chunk into its queue when a
 * write to it has completed, so that its block is that of the completion traced before; otherwise
 * it is the first block with a registration that begins at this chunk and is not in the queue.
 */
final class ImportedUnregistrations {
  /** Positions of QEMU's queue ({@code RDMA_SIGNALED_SEND_MAX}); more are not kept. */
  private static final int MOST_POSITIONS = 1 << 12;

  private final ImportedSession session;
  private final ImportedRegistrations registrations;
  private final Map<Integer, Place> queue = new HashMap<>();

  /** What the destination was asked to give back and has not confirmed. */
  private final ArrayDeque<Run> unconfirmed = new ArrayDeque<>();

  /** The write that has completed, null unless that was the previous event. */
  private @Nullable Place completed;

  /** The registrations whose turn has come, in that order. */
  private final ArrayDeque<Place> turns = new ArrayDeque<>();

  /** What was put off by the previous event, null for nothing. */
  private @Nullable Place putOff;

  /** What the destination was asked to give back last, null for nothing. */
  private @Nullable Place asked;

  private int index;

  /** A block and a chunk. */
  private record Place(int block, long chunk) {}

  /** The chunks of a registration. */
  private record Run(Place place, int chunks) {}

  ImportedUnregistrations(ImportedSession session, ImportedRegistrations registrations) {
    this.session = session;
    this.registrations = registrations;
  }

  void writeCompleted(int block, long chunk) {
    completed = new Place(block, chunk);
  }

  /** Something was traced that has nothing to do with this. */
  void otherEvent() {
    completed = null;
    putOff = null;
  }

  /**
   * A chunk was put into the queue, or is in it already.
   *
   * @return false when it is not known which one
   */
  boolean queued(long chunk, int position, boolean already) throws IOException {
    Place place = find(chunk);
    if (place == null) {
      return false;
    }
    if (already) {
      return registrations.step(UnregisterStep.ALREADY_QUEUED, place.block, chunk, 0);
    }
    session.add(Metric.UNREGISTER_HINTS, 1);
    if (queue.size() < MOST_POSITIONS || queue.containsKey(position)) {
      queue.put(position, place);
    }
    if (place.equals(putOff)) {
      // It is in the queue again.
      return true;
    }
    return registrations.step(UnregisterStep.QUEUED, place.block, chunk, position);
  }

  private @Nullable Place find(long chunk) {
    Place write = completed;
    if (write != null && registrations.covers(write.block, chunk, write.chunk)) {
      return new Place(write.block, chunk);
    }
    Place again = putOff;
    if (again != null && again.chunk == chunk) {
      return again;
    }
    Place first = null;
    for (int block : registrations.blocksWith(chunk)) {
      var place = new Place(block, chunk);
      if (!queue.containsValue(place)) {
        return place;
      }
      first = first == null ? place : first;
    }
    return first;
  }

  /** The source took a chunk out of its queue. */
  void taken(long chunk, int position) throws IOException {
    Place known = queue.remove(position);
    Place place = known != null && known.chunk == chunk ? known : find(chunk);
    if (place != null) {
      if (turns.size() == MOST_POSITIONS) {
        turns.removeFirst();
      }
      turns.addLast(place);
      boolean _ = registrations.step(UnregisterStep.TURN, place.block, chunk, position);
    }
  }

  /** The chunk that was taken last is in transit. */
  void postponed() throws IOException {
    putOff = turns.pollLast();
    if (putOff != null) {
      boolean _ = registrations.step(UnregisterStep.PUT_OFF, putOff.block, putOff.chunk, 0);
    }
  }

  /**
   * The source deregisters a chunk.
   *
   * @return false when it is not known which one
   */
  boolean unregistering(long chunk) throws IOException {
    Place place =
        turns.stream().filter(each -> each.chunk == chunk).findFirst().orElse(find(chunk));
    if (place == null) {
      return false;
    }
    turns.remove(place);
    if (unconfirmed.size() == MOST_POSITIONS) {
      unconfirmed.removeFirst();
    }
    unconfirmed.addLast(new Run(place, registrations.chunksFrom(place.block, chunk)));
    return registrations.step(
        UnregisterStep.REQUESTED, place.block, chunk, unconfirmed.size() - 1L);
  }

  /** The destination was asked to deregister a chunk. */
  void asked(int request, int block, long chunk) throws IOException {
    index = request;
    asked = new Place(block, chunk);
    boolean _ = registrations.step(UnregisterStep.ASKED, block, chunk, request);
  }

  /**
   * The destination has deregistered the chunk that it was asked for.
   *
   * @return false when that was another one
   */
  boolean unregistered(long chunk) throws IOException {
    Place place = asked;
    return place != null
        && place.chunk == chunk
        && registrations.step(UnregisterStep.DEREGISTERED, place.block, chunk, index);
  }

  /** The destination has confirmed what the source asked for. */
  void confirmed() throws IOException {
    Run run = unconfirmed.poll();
    if (run != null && run.chunks > 0) {
      session.event(
          EventKind.UNREGISTER,
          UnregisterStep.CONFIRMED.ordinal(),
          run.chunks,
          WorkRequestId.of(WorkRequestId.RDMA_WRITE, run.place.block, run.place.chunk),
          0);
    }
  }
}
