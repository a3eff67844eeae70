// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/**
 * What was known of the chunks of one block at some moment; 13 bytes a chunk of which anything was
 * known. It finds out what has changed in a {@link ChunkTable} since. Not thread-safe.
 */
public final class ChunkSnapshot {
  final ChunkColumns columns;

  /** As a table is at the beginning: nothing was done to any chunk. */
  public ChunkSnapshot(int chunks) {
    columns = new ChunkColumns(chunks);
  }

  public int chunkCount() {
    return columns.chunks();
  }

  /**
   * The first chunk from {@code from} on of which the table tells something else than this does.
   *
   * @param table with as many chunks
   * @return the number of chunks when there is none
   */
  public int nextChange(ChunkTable table, int from) {
    return columns.mismatch(table.columns(), from);
  }

  /** Takes over what the table tells of a chunk now. */
  public void take(ChunkTable table, int chunk) {
    ChunkColumns.Page from = table.columns().of(chunk);
    ChunkColumns.Page own = columns.own(chunk);
    int at = ChunkColumns.at(chunk);
    own.states[at] = from.states[at];
    own.inTransit[at] = from.inTransit[at];
    own.timesSent[at] = from.timesSent[at];
    own.localKeys[at] = from.localKeys[at];
    own.remoteKeys[at] = from.remoteKeys[at];
  }

  /** Whether this says the same of two chunks. */
  public boolean alike(int chunk, int other) {
    return state(chunk) == state(other)
        && inTransit(chunk) == inTransit(other)
        && timesSent(chunk) == timesSent(other)
        && localKey(chunk) == localKey(other)
        && remoteKey(chunk) == remoteKey(other);
  }

  /** Whether nothing was done to a chunk. */
  public boolean untouched(int chunk) {
    return state(chunk) == ChunkState.NOT_REGISTERED
        && inTransit(chunk) == 0
        && timesSent(chunk) == 0
        && localKey(chunk) == 0
        && remoteKey(chunk) == 0;
  }

  public ChunkState state(int chunk) {
    return ChunkState.of(columns.of(chunk).states[ChunkColumns.at(chunk)]);
  }

  /** Writes outstanding, 0 to 65535. */
  public int inTransit(int chunk) {
    return Short.toUnsignedInt(columns.of(chunk).inTransit[ChunkColumns.at(chunk)]);
  }

  /** Writes posted, 0 to 65535. */
  public int timesSent(int chunk) {
    return Short.toUnsignedInt(columns.of(chunk).timesSent[ChunkColumns.at(chunk)]);
  }

  public int localKey(int chunk) {
    return columns.of(chunk).localKeys[ChunkColumns.at(chunk)];
  }

  public int remoteKey(int chunk) {
    return columns.of(chunk).remoteKeys[ChunkColumns.at(chunk)];
  }

  /**
   * Notes what is to be known of the chunks from {@code from} to before {@code to}; counts are
   * taken modulo 65536.
   */
  public void set(
      int from,
      int to,
      ChunkState state,
      int inTransit,
      int timesSent,
      int localKey,
      int remoteKey) {
    columns.change(
        from,
        to,
        (page, at) -> {
          page.states[at] = (byte) state.ordinal();
          page.inTransit[at] = (short) inTransit;
          page.timesSent[at] = (short) timesSent;
          page.localKeys[at] = localKey;
          page.remoteKeys[at] = remoteKey;
        });
  }

  /** Forgets everything. */
  public void clear() {
    columns.clear();
  }
}
