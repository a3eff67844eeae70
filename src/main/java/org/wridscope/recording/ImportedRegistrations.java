// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.io.IOException;
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

  private record Registered(long nanos, int block, int firstChunk, int chunks) {}

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
    var now = new Registered(session.now(), block, first, last - first + 1);
    registered = now;
    count(bytes);
    if (source) {
      addEvent(now, 0);
    }
    return true;
  }

  private void count(long bytes) {
    session.add(Metric.REGISTRATIONS_TOTAL, 1);
    session.add(Metric.REGISTRATIONS_ALIVE, 1);
    session.add(Metric.REGISTERED_BYTES, bytes);
    session.raise(Metric.REGISTRATIONS_PEAK, session.get(Metric.REGISTRATIONS_ALIVE));
    session.raise(Metric.REGISTERED_BYTES_PEAK, session.get(Metric.REGISTERED_BYTES));
  }

  private void addEvent(Registered what, int key) throws IOException {
    session.event(
        EventKind.REGISTERED,
        0,
        what.chunks,
        WorkRequestId.of(WorkRequestId.RDMA_WRITE, what.block, what.firstChunk),
        Integer.toUnsignedLong(key));
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

  /** Registers all RAM. With pin-all no line records it, but the exchange of blocks implies it. */
  void registerAll() throws IOException {
    for (ChunkTable table : ram.tables()) {
      count(ram.length(table.index()));
      addEvent(new Registered(session.now(), table.index(), 0, table.chunkCount()), 0);
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        table.setState(chunk, ChunkState.REGISTERED);
      }
    }
    registered = null;
  }
}
