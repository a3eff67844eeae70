// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.util.Arrays;

/**
 * What was known of the chunks of one block at some moment; 13 bytes a chunk. It finds out what has
 * changed in a {@link ChunkTable} since. Not thread-safe.
 */
public final class ChunkSnapshot {
  /** Chunks that are compared at once: few enough to stay in a cache over five columns. */
  private static final int WINDOW = 1 << 11;

  final byte[] states;
  final short[] inTransit;
  final short[] timesSent;
  final int[] localKeys;
  final int[] remoteKeys;

  /** As a table is at the beginning: nothing was done to any chunk. */
  public ChunkSnapshot(int chunks) {
    states = new byte[chunks];
    inTransit = new short[chunks];
    timesSent = new short[chunks];
    localKeys = new int[chunks];
    remoteKeys = new int[chunks];
  }

  public int chunkCount() {
    return states.length;
  }

  /**
   * The first chunk from {@code from} on of which the table tells something else than this does.
   *
   * @param table with as many chunks
   * @return the number of chunks when there is none
   */
  public int nextChange(ChunkTable table, int from) {
    ChunkSnapshot now = table.columns();
    int chunks = states.length;
    for (int begin = from; begin < chunks; begin += WINDOW) {
      int end = Math.min(chunks, begin + WINDOW);
      int first = end;
      first =
          earlier(first, begin, Arrays.mismatch(states, begin, first, now.states, begin, first));
      first =
          earlier(
              first, begin, Arrays.mismatch(inTransit, begin, first, now.inTransit, begin, first));
      first =
          earlier(
              first, begin, Arrays.mismatch(timesSent, begin, first, now.timesSent, begin, first));
      first =
          earlier(
              first, begin, Arrays.mismatch(localKeys, begin, first, now.localKeys, begin, first));
      first =
          earlier(
              first,
              begin,
              Arrays.mismatch(remoteKeys, begin, first, now.remoteKeys, begin, first));
      if (first < end) {
        return first;
      }
    }
    return chunks;
  }

  private static int earlier(int first, int begin, int mismatch) {
    return mismatch < 0 ? first : begin + mismatch;
  }

  /** Takes over what the table tells of a chunk now. */
  public void take(ChunkTable table, int chunk) {
    ChunkSnapshot now = table.columns();
    states[chunk] = now.states[chunk];
    inTransit[chunk] = now.inTransit[chunk];
    timesSent[chunk] = now.timesSent[chunk];
    localKeys[chunk] = now.localKeys[chunk];
    remoteKeys[chunk] = now.remoteKeys[chunk];
  }

  /** Whether this says the same of two chunks. */
  public boolean alike(int chunk, int other) {
    return states[chunk] == states[other]
        && inTransit[chunk] == inTransit[other]
        && timesSent[chunk] == timesSent[other]
        && localKeys[chunk] == localKeys[other]
        && remoteKeys[chunk] == remoteKeys[other];
  }

  /** Whether nothing was done to a chunk. */
  public boolean untouched(int chunk) {
    return states[chunk] == 0
        && inTransit[chunk] == 0
        && timesSent[chunk] == 0
        && localKeys[chunk] == 0
        && remoteKeys[chunk] == 0;
  }

  public ChunkState state(int chunk) {
    return ChunkState.of(states[chunk]);
  }

  /** Writes outstanding, 0 to 65535. */
  public int inTransit(int chunk) {
    return Short.toUnsignedInt(inTransit[chunk]);
  }

  /** Writes posted, 0 to 65535. */
  public int timesSent(int chunk) {
    return Short.toUnsignedInt(timesSent[chunk]);
  }

  public int localKey(int chunk) {
    return localKeys[chunk];
  }

  public int remoteKey(int chunk) {
    return remoteKeys[chunk];
  }

  /** Notes what is to be known of a chunk; counts are taken modulo 65536. */
  public void set(
      int chunk, ChunkState state, int inTransit, int timesSent, int localKey, int remoteKey) {
    states[chunk] = (byte) state.ordinal();
    this.inTransit[chunk] = (short) inTransit;
    this.timesSent[chunk] = (short) timesSent;
    localKeys[chunk] = localKey;
    remoteKeys[chunk] = remoteKey;
  }

  /** Forgets everything. */
  public void clear() {
    Arrays.fill(states, (byte) 0);
    Arrays.fill(inTransit, (short) 0);
    Arrays.fill(timesSent, (short) 0);
    Arrays.fill(localKeys, 0);
    Arrays.fill(remoteKeys, 0);
  }
}
