// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.imported;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.UnregisterStep;

/** The memory registrations of a session that is imported from a trace log of QEMU. */
public final class ImportedRegistrations {
  private static final NavigableSet<Integer> NO_BLOCKS = Collections.emptyNavigableSet();

  private final ImportedSession session;
  private final ImportedRam ram;
  private final boolean source;

  /** The newest registration. */
  private @Nullable Registered newest;

  /** The newest registration of a destination, until its key is known. */
  private @Nullable Registered keyless;

  private boolean allRegistered;

  /** The blocks with registrations that were not given back, by their first chunks. */
  private final Map<Integer, NavigableSet<Integer>> blocksByChunk = new HashMap<>();

  /** The registrations that were not given back, by block and first chunk. */
  private final Map<Integer, NavigableMap<Integer, Registered>> alive = new HashMap<>();

  /** Memory that was registered at once. */
  private record Registered(long nanos, int block, int firstChunk, int chunks, long bytes) {
    long place() {
      return WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, firstChunk);
    }
  }

  /**
   * @param source whether the session is a source
   */
  public ImportedRegistrations(ImportedSession session, ImportedRam ram, boolean source) {
    this.session = session;
    this.ram = ram;
    this.source = source;
  }

  // ------------------------------------------------------------------------------- registrations

  /**
   * Adds a registration.
   *
   * @return false when it does not lie in a known block
   */
  public boolean registering(long bytes, long address) throws IOException {
    int block = ram.blockAt(address);
    if (block < 0 || bytes < 1 || bytes > ram.length(block)) {
      return false;
    }
    long offset = ram.offset(block, address);
    int first = ChunkTable.chunkOf(offset);
    int last = ChunkTable.chunkOf(Math.min(ram.length(block), offset + bytes) - 1);
    var now = new Registered(session.now(), block, first, last - first + 1, bytes);
    flush();
    newest = now;
    if (source) {
      add(now, 0);
    } else {
      keyless = now;
    }
    return true;
  }

  /** The destination gave out a key: that of its newest registration, if it is still unknown. */
  public void keyed(int key) throws IOException {
    Registered what = keyless;
    if (what != null) {
      keyless = null;
      session.add(Metric.REGISTRATION_TIME, Math.max(0, session.now() - what.nanos));
      add(what, key);
    }
  }

  /** Adds a registration whose key is in no line. */
  public void flush() throws IOException {
    keyed(0);
  }

  private void add(Registered what, int key) throws IOException {
    remove(what.block, what.firstChunk);
    NavigableMap<Integer, Registered> inBlock =
        alive.computeIfAbsent(what.block, _ -> new TreeMap<>());
    inBlock.put(what.firstChunk, what);
    blocksByChunk.computeIfAbsent(what.firstChunk, _ -> new TreeSet<>()).add(what.block);
    event(EventKind.REGISTERED, 0, what, Integer.toUnsignedLong(key));
  }

  private void event(EventKind kind, int detail, Registered what, long argument)
      throws IOException {
    session.event(kind, detail, what.chunks, what.place(), argument);
  }

  /**
   * Registers all RAM, once. With pin-all no line records it, but the exchange of blocks implies
   * it.
   */
  public void registerAll() throws IOException {
    if (allRegistered) {
      return;
    }
    allRegistered = true;
    for (ChunkTable table : ram.tables()) {
      long length = ram.length(table.index());
      add(new Registered(session.now(), table.index(), 0, table.chunkCount(), length), 0);
    }
  }

  /** The block of the newest registration, -1 if there is none. */
  public int newestBlock() {
    return newest == null ? -1 : newest.block;
  }

  // ----------------------------------------------------------------------------- deregistrations

  private @Nullable Registered get(int block, long chunk) {
    NavigableMap<Integer, Registered> inBlock = alive.get(block);
    return inBlock == null || !ram.exists(block, chunk) ? null : inBlock.get((int) chunk);
  }

  /** The number of chunks of the registration that begins at a chunk, 0 when there is none. */
  public int chunksFrom(int block, long chunk) {
    Registered what = get(block, chunk);
    return what == null ? 0 : what.chunks;
  }

  /** Whether a registration that was not given back begins at a chunk and covers another one. */
  public boolean covers(int block, long first, long chunk) {
    Registered what = get(block, first);
    return what != null && chunk >= first && chunk < first + what.chunks;
  }

  /** The blocks with a registration that begins at a chunk, in their order. */
  public Set<Integer> blocksWith(long chunk) {
    boolean possible = chunk >= 0 && chunk <= Integer.MAX_VALUE;
    return possible ? blocksByChunk.getOrDefault((int) chunk, NO_BLOCKS) : NO_BLOCKS;
  }

  private boolean remove(int block, int first) throws IOException {
    NavigableMap<Integer, Registered> inBlock = alive.get(block);
    Registered what = inBlock == null ? null : inBlock.remove(first);
    if (what == null) {
      return false;
    }
    NavigableSet<Integer> others = blocksByChunk.get(first);
    if (others != null) {
      others.remove(block);
    }
    int key = source ? 0 : ram.table(block).remoteKey(first);
    event(EventKind.DEREGISTERED, 0, what, Integer.toUnsignedLong(key));
    return true;
  }

  /**
   * Notes a step of giving back the registration that begins at a chunk.
   *
   * @return false when there is none
   */
  public boolean step(UnregisterStep step, int block, long chunk, long argument)
      throws IOException {
    Registered what = get(block, chunk);
    if (what == null) {
      return false;
    }
    if (step == UnregisterStep.REQUESTED || step == UnregisterStep.DEREGISTERED) {
      remove(block, what.firstChunk);
    }
    event(EventKind.UNREGISTER, step.ordinal(), what, argument);
    return true;
  }

  /** Everything that is registered of a block is given back at the end. */
  public void release(int block) throws IOException {
    flush();
    NavigableMap<Integer, Registered> inBlock = alive.getOrDefault(block, new TreeMap<>());
    while (!inBlock.isEmpty()) {
      remove(block, inBlock.firstKey());
    }
  }

  /** All RAM has come to the destination. */
  public void arrived() {
    session.allArrived(allRegistered);
  }
}
