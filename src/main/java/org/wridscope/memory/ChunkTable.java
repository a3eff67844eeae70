// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The chunks of one RAM block: their geometry, keys and states, 13 bytes a chunk. Chunks are
 * counted from the start of the block, whatever the alignment of the memory (QEMU 7.2
 * migration/rdma.c).
 *
 * <p>One thread writes, the engine's. Any thread may read at any time and sees each value whole;
 * two values read one after the other may belong to different moments.
 */
public final class ChunkTable {
  /** {@code RDMA_REG_CHUNK_SHIFT}: a chunk is 1 MiB. */
  public static final int CHUNK_SHIFT = 20;

  /** Bytes of a chunk; the last one of a block may be shorter. */
  public static final long CHUNK_SIZE = 1L << CHUNK_SHIFT;

  private static final VarHandle BYTES = MethodHandles.arrayElementVarHandle(byte[].class);
  private static final VarHandle SHORTS = MethodHandles.arrayElementVarHandle(short[].class);
  private static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private final int index;
  private final String name;
  private final long length;
  private final long localAddress;
  private volatile long remoteAddress;

  private final ChunkSnapshot columns;
  private final byte[] states;
  private final short[] inTransit;
  private final short[] timesSent;
  private final int[] localKeys;
  private final int[] remoteKeys;
  private final long[] counts = new long[ChunkState.values().length];

  /**
   * @param index the block's place in the list of RAM blocks, 0 to 16383
   * @param length of the block in bytes, at least 1
   * @param localAddress of the first byte here, 0 when no memory stands behind the table
   */
  public ChunkTable(int index, String name, long length, long localAddress) {
    this.index = index;
    this.name = name;
    this.length = length;
    this.localAddress = localAddress;
    int chunks = Math.toIntExact((length + CHUNK_SIZE - 1) >> CHUNK_SHIFT);
    columns = new ChunkSnapshot(chunks);
    states = columns.states;
    inTransit = columns.inTransit;
    timesSent = columns.timesSent;
    localKeys = columns.localKeys;
    remoteKeys = columns.remoteKeys;
    counts[ChunkState.NOT_REGISTERED.ordinal()] = chunks;
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

  /** Address of the block's first byte at the peer, 0 while unknown. */
  public long remoteAddress() {
    return remoteAddress;
  }

  public void setRemoteAddress(long remoteAddress) {
    this.remoteAddress = remoteAddress;
  }

  public int chunkCount() {
    return states.length;
  }

  /** The chunk that holds the byte at {@code offset} of the block. */
  public static int chunkOf(long offset) {
    return (int) (offset >> CHUNK_SHIFT);
  }

  /** Offset in the block of the chunk's first byte. */
  public static long offsetOf(int chunk) {
    return (long) chunk << CHUNK_SHIFT;
  }

  /** Bytes of a chunk, {@link #CHUNK_SIZE} for all but perhaps the last. */
  public long lengthOf(int chunk) {
    return Math.min(CHUNK_SIZE, length - offsetOf(chunk));
  }

  public ChunkState state(int chunk) {
    return ChunkState.of((byte) BYTES.getOpaque(states, chunk));
  }

  public void setState(int chunk, ChunkState state) {
    int before = states[chunk];
    if (before != state.ordinal()) {
      BYTES.setOpaque(states, chunk, (byte) state.ordinal());
      LONGS.setOpaque(counts, before, counts[before] - 1);
      LONGS.setOpaque(counts, state.ordinal(), counts[state.ordinal()] + 1);
    }
  }

  /** How many chunks are in this state. */
  public long count(ChunkState state) {
    return (long) LONGS.getOpaque(counts, state.ordinal());
  }

  /** Copies the ordinals of the states of a run of chunks, for a view. */
  public void copyStates(int firstChunk, byte[] into, int offset, int chunks) {
    System.arraycopy(states, firstChunk, into, offset, chunks);
  }

  /** The columns themselves, for whoever compares them. */
  ChunkSnapshot columns() {
    return columns;
  }

  /** Makes a chunk what a snapshot of as many chunks says of it. */
  public void restore(ChunkSnapshot from, int chunk) {
    SHORTS.setOpaque(inTransit, chunk, from.inTransit[chunk]);
    SHORTS.setOpaque(timesSent, chunk, from.timesSent[chunk]);
    INTS.setOpaque(localKeys, chunk, from.localKeys[chunk]);
    INTS.setOpaque(remoteKeys, chunk, from.remoteKeys[chunk]);
    setState(chunk, from.state(chunk));
  }

  /** Makes all chunks what a snapshot of as many chunks says of them. */
  public void restore(ChunkSnapshot from) {
    for (int i = from.nextChange(this, 0); i < chunkCount(); i = from.nextChange(this, i + 1)) {
      restore(from, i);
    }
  }

  /** Makes it what another table of the same block is. */
  public void restore(ChunkTable from) {
    restore(from.columns);
    remoteAddress = from.remoteAddress;
  }

  /** The key that our work requests use for this chunk, 0 when it has none. */
  public int localKey(int chunk) {
    return (int) INTS.getOpaque(localKeys, chunk);
  }

  public void setLocalKey(int chunk, int key) {
    INTS.setOpaque(localKeys, chunk, key);
  }

  /** The key that allows writing to this chunk at the destination, 0 when it has none. */
  public int remoteKey(int chunk) {
    return (int) INTS.getOpaque(remoteKeys, chunk);
  }

  public void setRemoteKey(int chunk, int key) {
    INTS.setOpaque(remoteKeys, chunk, key);
  }

  /** RDMA WRITEs to this chunk that were posted and have not completed. */
  public int inTransit(int chunk) {
    return (short) SHORTS.getOpaque(inTransit, chunk);
  }

  /** How often something of this chunk was written to the peer, at most 65535. */
  public int timesSent(int chunk) {
    return Short.toUnsignedInt((short) SHORTS.getOpaque(timesSent, chunk));
  }

  /** Notes that an RDMA WRITE to this chunk was posted. */
  public void posted(int chunk) {
    SHORTS.setOpaque(inTransit, chunk, (short) (inTransit[chunk] + 1));
    if (timesSent[chunk] != (short) 0xffff) {
      SHORTS.setOpaque(timesSent, chunk, (short) (timesSent[chunk] + 1));
    }
    setState(chunk, ChunkState.IN_TRANSIT);
  }

  /**
   * Notes that an RDMA WRITE to this chunk completed.
   *
   * @param arrived whether its data arrived; once one has failed, those behind it are flushed
   * @throws IllegalStateException when none was outstanding
   */
  public void completed(int chunk, boolean arrived) {
    if (inTransit[chunk] == 0) {
      throw new IllegalStateException(
          "block %s chunk %d: a completion without a write in transit".formatted(name, chunk));
    }
    SHORTS.setOpaque(inTransit, chunk, (short) (inTransit[chunk] - 1));
    if (inTransit[chunk] == 0) {
      setState(chunk, arrived ? ChunkState.SENT : ChunkState.DIRTY_AGAIN);
    }
  }
}
