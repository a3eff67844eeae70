// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import org.wridscope.telemetry.Metric;

/**
 * Registrations that were given back before the end, in a session that is imported from a trace log
 * of QEMU.
 *
 * <p>The source's events name a chunk but not its block. QEMU puts a chunk into its queue when a
 * write to it has completed, so that its block is that of the completion traced before; otherwise
 * the block is known if only one has a registration that begins at this chunk.
 */
final class ImportedUnregistrations {
  /** Positions of QEMU's queue ({@code RDMA_SIGNALED_SEND_MAX}); more are not kept. */
  private static final int MOST_POSITIONS = 1 << 12;

  private final ImportedSession session;
  private final ImportedRegistrations registrations;
  private final Map<Integer, Queued> queue = new HashMap<>();
  private Queued completed = new Queued(-1, -1);
  private Queued taken = new Queued(-1, -1);

  /**
   * A chunk.
   *
   * @param block -1 when it is not known
   */
  private record Queued(int block, long chunk) {}

  ImportedUnregistrations(ImportedSession session, ImportedRegistrations registrations) {
    this.session = session;
    this.registrations = registrations;
  }

  void writeCompleted(int block, long chunk) {
    completed = new Queued(block, chunk);
  }

  void queued(long chunk, int position) {
    session.add(Metric.UNREGISTER_HINTS, 1);
    if (queue.size() < MOST_POSITIONS || queue.containsKey(position)) {
      queue.put(position, new Queued(completed.chunk == chunk ? completed.block : -1, chunk));
    }
  }

  /** The source took a chunk out of its queue. */
  void taken(long chunk, int position) {
    Queued known = queue.remove(position);
    taken = known != null && known.chunk == chunk ? known : new Queued(-1, chunk);
  }

  void postponed() {
    session.add(Metric.UNREGISTRATIONS_DEFERRED, 1);
  }

  /**
   * The source deregisters a chunk.
   *
   * @return false when it is not known which one
   */
  boolean unregistering(long chunk) throws IOException {
    int block = taken.chunk == chunk ? taken.block : -1;
    if (block < 0 || !registrations.beginsAt(block, chunk)) {
      OptionalInt only = registrations.onlyBlockWith(chunk);
      if (only.isEmpty()) {
        return false;
      }
      block = only.getAsInt();
    }
    return registrations.unregistered(block, chunk);
  }

  /** The destination was asked to deregister a chunk. */
  void asked(int block, long chunk) {
    taken = new Queued(block, chunk);
  }

  /**
   * The destination has deregistered the chunk that it was asked for.
   *
   * @return false when that was another one
   */
  boolean unregistered(long chunk) throws IOException {
    if (taken.chunk != chunk || !registrations.unregistered(taken.block, chunk)) {
      return false;
    }
    session.add(Metric.UNREGISTRATIONS, 1);
    return true;
  }

  /** The destination has confirmed what the source asked for. */
  void confirmed() {
    session.add(Metric.UNREGISTRATIONS, 1);
  }
}
