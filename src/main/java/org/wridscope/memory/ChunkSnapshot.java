// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

/**
 * The chunks of one block at some moment, which finds what has changed in a {@link ChunkTable}
 * since then. Uses 14 bytes per chunk that is not untouched. Not thread-safe.
 */
public final class ChunkSnapshot {
  final ChunkColumns columns;

  /** A snapshot of a new table, whose chunks are all untouched. */
  public ChunkSnapshot(int chunks) {
    columns = new ChunkColumns(chunks);
  }

  public int chunkCount() {
    return columns.chunks();
  }

  /**
   * The first chunk at or after {@code from} that differs from the table.
   *
   * @param table with the same number of chunks
   * @return the number of chunks if none differs
   */
  public int nextChange(ChunkTable table, int from) {
    return columns.mismatch(table.columns(), from);
  }

  /** Copies a chunk of the table. */
  public void take(ChunkTable table, int chunk) {
    ChunkColumns.Page from = table.columns().of(chunk);
    ChunkColumns.Page own = columns.own(chunk);
    int at = ChunkColumns.at(chunk);
    own.kinds[at] = from.kinds[at];
    own.inTransit[at] = from.inTransit[at];
    own.timesSent[at] = from.timesSent[at];
    own.localKeys[at] = from.localKeys[at];
    own.remoteKeys[at] = from.remoteKeys[at];
  }

  /** Whether two chunks are equal. */
  public boolean alike(int chunk, int other) {
    return state(chunk) == state(other)
        && release(chunk) == release(other)
        && inTransit(chunk) == inTransit(other)
        && timesSent(chunk) == timesSent(other)
        && localKey(chunk) == localKey(other)
        && remoteKey(chunk) == remoteKey(other);
  }

  /** Whether a chunk is as in a new table. */
  public boolean untouched(int chunk) {
    return state(chunk) == ChunkState.NOT_REGISTERED
        && release(chunk) == ChunkRelease.NONE
        && inTransit(chunk) == 0
        && timesSent(chunk) == 0
        && localKey(chunk) == 0
        && remoteKey(chunk) == 0;
  }

  public ChunkState state(int chunk) {
    return ChunkColumns.stateOf(columns.of(chunk).kinds[ChunkColumns.at(chunk)]);
  }

  public ChunkRelease release(int chunk) {
    return ChunkColumns.releaseOf(columns.of(chunk).kinds[ChunkColumns.at(chunk)]);
  }

  /** RDMA WRITEs outstanding, 0 to 65535. */
  public int inTransit(int chunk) {
    return Short.toUnsignedInt(columns.of(chunk).inTransit[ChunkColumns.at(chunk)]);
  }

  /** RDMA WRITEs posted, 0 to 65535. */
  public int timesSent(int chunk) {
    return Short.toUnsignedInt(columns.of(chunk).timesSent[ChunkColumns.at(chunk)]);
  }

  public int localKey(int chunk) {
    return columns.of(chunk).localKeys[ChunkColumns.at(chunk)];
  }

  public int remoteKey(int chunk) {
    return columns.of(chunk).remoteKeys[ChunkColumns.at(chunk)];
  }

  /** Sets the chunks in {@code [from, to)}; the counts are taken modulo 65536. */
  public void set(
      int from,
      int to,
      ChunkState state,
      ChunkRelease release,
      int inTransit,
      int timesSent,
      int localKey,
      int remoteKey) {
    columns.change(
        from,
        to,
        (page, at) -> {
          page.kinds[at] = ChunkColumns.kind(state, release);
          page.inTransit[at] = (short) inTransit;
          page.timesSent[at] = (short) timesSent;
          page.localKeys[at] = localKey;
          page.remoteKeys[at] = remoteKey;
        });
  }

  /** Makes all chunks untouched. */
  public void clear() {
    columns.clear();
  }
}
