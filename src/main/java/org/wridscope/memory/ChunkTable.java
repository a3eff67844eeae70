// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The chunks of one RAM block: their geometry, keys and states, in 13 bytes per chunk that is not
 * untouched. Chunks are counted from the start of the block, whatever the alignment of the memory
 * (QEMU 7.2 migration/rdma.c).
 *
 * <p>Only the engine's thread writes. Any thread may read at any time and sees each value whole,
 * but two values that are read one after the other may be of different moments.
 */
public final class ChunkTable {
  /** {@code RDMA_REG_CHUNK_SHIFT}: a chunk is 1 MiB. */
  public static final int CHUNK_SHIFT = 20;

  /** Bytes per chunk; the last one of a block may be shorter. */
  public static final long CHUNK_SIZE = 1L << CHUNK_SHIFT;

  private static final int SHOWN = ShownState.values().length;
  private static final ChunkRelease[] RELEASES = ChunkRelease.values();
  private static final VarHandle BYTES = MethodHandles.arrayElementVarHandle(byte[].class);
  private static final VarHandle SHORTS = MethodHandles.arrayElementVarHandle(short[].class);
  private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private final int index;
  private final String name;
  private final long length;
  private final long localAddress;
  private volatile long remoteAddress;

  private final ChunkColumns columns;
  private final long[] counts = new long[ChunkColumns.KINDS];

  /**
   * @param index of the block in the list of RAM blocks, 0 to 16383
   * @param length of the block in bytes, at least 1
   * @param localAddress of the first byte on this side, 0 if the table has no memory
   */
  public ChunkTable(int index, String name, long length, long localAddress) {
    this.index = index;
    this.name = name;
    this.length = length;
    this.localAddress = localAddress;
    int chunks = Math.toIntExact((length + CHUNK_SIZE - 1) >> CHUNK_SHIFT);
    columns = new ChunkColumns(chunks);
    counts[ChunkColumns.kind(ChunkState.NOT_REGISTERED, ChunkRelease.NONE)] = chunks;
  }

  /** The tables of RAM blocks, in their order. */
  public static List<ChunkTable> tablesOf(List<RamBlock> ram) {
    var tables = new ArrayList<ChunkTable>(ram.size());
    for (int i = 0; i < ram.size(); i++) {
      RamBlock block = ram.get(i);
      tables.add(new ChunkTable(i, block.name(), block.length(), block.address()));
    }
    return List.copyOf(tables);
  }

  public int index() {
    return index;
  }

  public String name() {
    return name;
  }

  /** Bytes of the block. */
  public long length() {
    return length;
  }

  public long localAddress() {
    return localAddress;
  }

  /** Address of the first byte at the peer, 0 while unknown. */
  public long remoteAddress() {
    return remoteAddress;
  }

  public void setRemoteAddress(long remoteAddress) {
    this.remoteAddress = remoteAddress;
  }

  public int chunkCount() {
    return columns.chunks();
  }

  /** The chunk that contains this offset of the block. */
  public static int chunkOf(long offset) {
    return (int) (offset >> CHUNK_SHIFT);
  }

  /** Offset of a chunk in the block. */
  public static long offsetOf(int chunk) {
    return (long) chunk << CHUNK_SHIFT;
  }

  /** Length of a chunk in bytes, {@link #CHUNK_SIZE} for all but perhaps the last. */
  public long lengthOf(int chunk) {
    return Math.min(CHUNK_SIZE, length - offsetOf(chunk));
  }

  public ChunkState state(int chunk) {
    return ChunkColumns.stateOf(kindAt(chunk));
  }

  private byte kindAt(int chunk) {
    return (byte) BYTES.getOpaque(columns.of(chunk).kinds, ChunkColumns.at(chunk));
  }

  public void setState(int chunk, ChunkState state) {
    byte before = kindAt(chunk);
    byte after = ChunkColumns.kind(state, ChunkColumns.releaseOf(before));
    if (before != after) {
      BYTES.setOpaque(columns.own(chunk).kinds, ChunkColumns.at(chunk), after);
      LONGS.setOpaque(counts, before, counts[before] - 1);
      LONGS.setOpaque(counts, after, counts[after] + 1);
    }
  }

  /** Number of chunks in this state. */
  public long count(ChunkState state) {
    long sum = 0;
    for (ChunkRelease release : RELEASES) {
      sum += count(state, release);
    }
    return sum;
  }

  /** Number of chunks in this state whose registration is that far on its way back. */
  public long count(ChunkState state, ChunkRelease release) {
    return (long) LONGS.getOpaque(counts, ChunkColumns.kind(state, release));
  }

  /** How far the registration of a chunk is on its way back. */
  public ChunkRelease release(int chunk) {
    return ChunkColumns.releaseOf(kindAt(chunk));
  }

  /** Sets how far the registration of the chunks in {@code [from, to)} is on its way back. */
  public void setReleases(int from, int to, ChunkRelease release) {
    changeReleases(from, to, before -> release);
  }

  /**
   * The chunks in {@code [from, to)} stay registered: those that were to be given back no longer
   * are.
   */
  public void keepRegistered(int from, int to) {
    changeReleases(
        from,
        to,
        before -> before == ChunkRelease.GIVEN_BACK ? ChunkRelease.GIVEN_BACK : ChunkRelease.NONE);
  }

  private void changeReleases(int from, int to, UnaryOperator<ChunkRelease> next) {
    int first = from;
    while (first < to && next.apply(release(first)) == release(first)) {
      first++;
    }
    if (first == to) {
      return;
    }
    long[] others = counts.clone();
    columns.count(first, to, -1, others);
    columns.change(
        first,
        to,
        (page, at) -> {
          byte kind = page.kinds[at];
          ChunkRelease release = next.apply(ChunkColumns.releaseOf(kind));
          BYTES.setOpaque(page.kinds, at, ChunkColumns.kind(ChunkColumns.stateOf(kind), release));
        });
    recount(others, first, to);
  }

  /** What a map shows of a chunk. */
  public ShownState shown(int chunk) {
    return ShownState.of(state(chunk), release(chunk));
  }

  /** Number of chunks of which a map shows this. */
  public long count(ShownState shown) {
    var sums = new long[SHOWN];
    addCounts(sums);
    return sums[shown.ordinal()];
  }

  /**
   * Adds the number of chunks of which a map shows each state.
   *
   * @param sums by the ordinal of the {@link ShownState}
   */
  public void addCounts(long[] sums) {
    for (int kind = 0; kind < counts.length; kind++) {
      sums[ShownState.ordinalOf(kind)] += (long) LONGS.getOpaque(counts, kind);
    }
  }

  /** Whether all chunks are {@link ChunkRelease#NONE}. */
  private boolean noneReleased() {
    long none = 0;
    for (ChunkState state : ChunkState.values()) {
      none += count(state, ChunkRelease.NONE);
    }
    return none == chunkCount();
  }

  /** Copies the ordinals of what a map shows of a run of chunks into an array. */
  public void copyShown(int firstChunk, byte[] into, int offset, int chunks) {
    boolean plain = noneReleased();
    int copied = 0;
    while (copied < chunks) {
      int chunk = firstChunk + copied;
      int at = ChunkColumns.at(chunk);
      int length = Math.min(chunks - copied, ChunkColumns.PAGE - at);
      ChunkColumns.Page page = columns.of(chunk);
      if (plain) {
        System.arraycopy(page.kinds, at, into, offset + copied, length);
      } else {
        for (int i = 0; i < length; i++) {
          into[offset + copied + i] = ShownState.ordinalOf(page.kinds[at + i]);
        }
      }
      copied += length;
    }
  }

  /** The columns, for comparison. */
  ChunkColumns columns() {
    return columns;
  }

  /** Sets all chunks from a snapshot with the same number of chunks. */
  public void restore(ChunkSnapshot from) {
    restore(from.columns);
  }

  private void restore(ChunkColumns from) {
    columns.become(from);
    recount(new long[counts.length], 0, chunkCount());
  }

  /** Sets the counts to those given plus those of the chunks in {@code [from, to)}. */
  private void recount(long[] others, int from, int to) {
    columns.count(from, to, 1, others);
    for (int i = 0; i < counts.length; i++) {
      LONGS.setOpaque(counts, i, others[i]);
    }
  }

  /** Sets all chunks from another table of the same block. */
  public void restore(ChunkTable from) {
    restore(from.columns);
    remoteAddress = from.remoteAddress;
  }

  /** The local key of this chunk for this side's work requests, 0 if it has none. */
  public int localKey(int chunk) {
    return (int) INTS.getOpaque(columns.of(chunk).localKeys, ChunkColumns.at(chunk));
  }

  public void setLocalKey(int chunk, int key) {
    INTS.setOpaque(columns.own(chunk).localKeys, ChunkColumns.at(chunk), key);
  }

  /** Sets the local key of the chunks in {@code [from, to)}. */
  public void setLocalKeys(int from, int to, int key) {
    columns.change(from, to, (page, at) -> INTS.setOpaque(page.localKeys, at, key));
  }

  /** Sets the remote key of the chunks in {@code [from, to)}. */
  public void setRemoteKeys(int from, int to, int key) {
    columns.change(from, to, (page, at) -> INTS.setOpaque(page.remoteKeys, at, key));
  }

  /** Computes the next state of a chunk from its present one. */
  @FunctionalInterface
  public interface Transition {
    /** The next state. */
    ChunkState next(ChunkState state, int inTransit, int timesSent);
  }

  /** Changes the states of the chunks in {@code [from, to)}. */
  public void setStates(int from, int to, Transition transition) {
    long[] others = counts.clone();
    columns.count(from, to, -1, others);
    columns.change(
        from,
        to,
        (page, at) -> {
          byte kind = page.kinds[at];
          ChunkState next =
              transition.next(
                  ChunkColumns.stateOf(kind),
                  page.inTransit[at],
                  Short.toUnsignedInt(page.timesSent[at]));
          BYTES.setOpaque(page.kinds, at, ChunkColumns.kind(next, ChunkColumns.releaseOf(kind)));
        });
    recount(others, from, to);
  }

  /** The remote key for RDMA WRITEs to this chunk at the destination, 0 if it has none. */
  public int remoteKey(int chunk) {
    return (int) INTS.getOpaque(columns.of(chunk).remoteKeys, ChunkColumns.at(chunk));
  }

  public void setRemoteKey(int chunk, int key) {
    INTS.setOpaque(columns.own(chunk).remoteKeys, ChunkColumns.at(chunk), key);
  }

  /** Number of RDMA WRITEs to this chunk that have been posted and have not completed. */
  public int inTransit(int chunk) {
    return (short) SHORTS.getOpaque(columns.of(chunk).inTransit, ChunkColumns.at(chunk));
  }

  /** Number of RDMA WRITEs to this chunk so far, at most 65535. */
  public int timesSent(int chunk) {
    return Short.toUnsignedInt(
        (short) SHORTS.getOpaque(columns.of(chunk).timesSent, ChunkColumns.at(chunk)));
  }

  /** Notes that an RDMA WRITE to this chunk was posted. */
  public void posted(int chunk) {
    ChunkColumns.Page page = columns.own(chunk);
    int at = ChunkColumns.at(chunk);
    SHORTS.setOpaque(page.inTransit, at, (short) (page.inTransit[at] + 1));
    if (page.timesSent[at] != (short) 0xffff) {
      SHORTS.setOpaque(page.timesSent, at, (short) (page.timesSent[at] + 1));
    }
    setState(chunk, ChunkState.IN_TRANSIT);
  }

  /**
   * Notes that an RDMA WRITE to this chunk completed.
   *
   * @param arrived whether its data arrived; after a failed one, all later ones are flushed
   * @throws IllegalStateException if none was outstanding
   */
  public void completed(int chunk, boolean arrived) {
    int outstanding = inTransit(chunk);
    if (outstanding == 0) {
      throw new IllegalStateException(
          "block %s chunk %d: a completion without a write in transit".formatted(name, chunk));
    }
    SHORTS.setOpaque(
        columns.own(chunk).inTransit, ChunkColumns.at(chunk), (short) (outstanding - 1));
    if (outstanding == 1) {
      setState(chunk, arrived ? ChunkState.SENT : ChunkState.DIRTY_AGAIN);
    }
  }
}
