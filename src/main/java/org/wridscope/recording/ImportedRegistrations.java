// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;

/** The memory registrations of a session that is imported from a trace log of QEMU. */
final class ImportedRegistrations {
  private final ImportedSession session;
  private final QemuRam ram;
  private final boolean source;

  /** The newest registration, until its key is known. */
  private @Nullable Registered registered;

  /** The registrations that were not given back, by block and first chunk. */
  private final Map<Long, Registered> alive = new HashMap<>();

  private record Registered(long nanos, int block, int firstChunk, int chunks, long bytes) {
    long place() {
      return WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, firstChunk);
    }
  }

  /**
   * @param source whether the session is a source
   */
  ImportedRegistrations(ImportedSession session, QemuRam ram, boolean source) {
    this.session = session;
    this.ram = ram;
    this.source = source;
  }

  /**
   * Adds a registration.
   *
   * @return false when it does not lie in a known block
   */
  boolean registering(long bytes, long address) throws IOException {
    int block = ram.blockAt(address);
    if (block < 0 || bytes < 1 || bytes > ram.length(block)) {
      return false;
    }
    long offset = ram.offset(block, address);
    int first = ChunkTable.chunkOf(offset);
    int last = ChunkTable.chunkOf(Math.min(ram.length(block), offset + bytes) - 1);
    var now = new Registered(session.now(), block, first, last - first + 1, bytes);
    registered = now;
    count(now);
    if (source) {
      addEvent(now, 0);
    }
    return true;
  }

  private void count(Registered what) {
    Registered before = alive.put(what.place(), what);
    session.add(Metric.REGISTRATIONS_TOTAL, 1);
    session.set(Metric.REGISTRATIONS_ALIVE, alive.size());
    session.add(Metric.REGISTERED_BYTES, what.bytes - (before == null ? 0 : before.bytes));
    session.raise(Metric.REGISTRATIONS_PEAK, session.get(Metric.REGISTRATIONS_ALIVE));
    session.raise(Metric.REGISTERED_BYTES_PEAK, session.get(Metric.REGISTERED_BYTES));
  }

  private void addEvent(Registered what, int key) throws IOException {
    session.event(EventKind.REGISTERED, 0, what.chunks, what.place(), Integer.toUnsignedLong(key));
  }

  void keyGiven(int key) throws IOException {
    Registered what = registered;
    if (what == null) {
      return;
    }
    registered = null;
    ChunkTable table = ram.table(what.block);
    for (int i = what.firstChunk; i < what.firstChunk + what.chunks; i++) {
      table.setRemoteKey(i, key);
      table.setState(i, ChunkState.REGISTERED);
    }
    session.add(Metric.REGISTRATION_TIME, Math.max(0, session.now() - what.nanos));
    addEvent(what, key);
  }

  void keyReceived(int key, long chunk) {
    session.add(Metric.REGISTRATION_ROUND_TRIPS, 1);
    Registered what = registered;
    if (what != null && ram.exists(what.block, chunk)) {
      ram.table(what.block).setRemoteKey((int) chunk, key);
      ram.table(what.block).setState((int) chunk, ChunkState.REGISTERED);
    }
  }

  /** Whether a registration that was not given back begins at a chunk. */
  boolean beginsAt(int block, long chunk) {
    return ram.exists(block, chunk)
        && alive.containsKey(WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk));
  }

  /** The block with a registration that begins at a chunk, if only one has such a chunk. */
  OptionalInt onlyBlockWith(long chunk) {
    int[] blocks =
        IntStream.range(0, ram.tables().size())
            .filter(block -> beginsAt(block, chunk))
            .limit(2)
            .toArray();
    return blocks.length == 1 ? OptionalInt.of(blocks[0]) : OptionalInt.empty();
  }

  /**
   * Removes the registration that begins at a chunk.
   *
   * @return false when there is none
   */
  boolean unregistered(int block, long chunk) throws IOException {
    Registered what =
        ram.exists(block, chunk)
            ? alive.remove(WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk))
            : null;
    if (what == null) {
      return false;
    }
    ChunkTable table = ram.table(block);
    int key = source ? 0 : table.remoteKey((int) chunk);
    for (int i = what.firstChunk; i < what.firstChunk + what.chunks; i++) {
      table.setRemoteKey(i, 0);
      if (!source) {
        table.setState(i, ChunkState.NOT_REGISTERED);
      }
    }
    session.set(Metric.REGISTRATIONS_ALIVE, alive.size());
    session.add(Metric.REGISTERED_BYTES, -what.bytes);
    session.event(
        EventKind.DEREGISTERED, 0, what.chunks, what.place(), Integer.toUnsignedLong(key));
    return true;
  }

  /** Registers all RAM. With pin-all no line records it, but the exchange of blocks implies it. */
  void registerAll() throws IOException {
    for (ChunkTable table : ram.tables()) {
      long length = ram.length(table.index());
      var whole = new Registered(session.now(), table.index(), 0, table.chunkCount(), length);
      count(whole);
      addEvent(whole, 0);
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        table.setState(chunk, ChunkState.REGISTERED);
      }
    }
    registered = null;
  }
}
