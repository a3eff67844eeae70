// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which chunks of a destination have arrived. It does not see RDMA WRITEs, but a source that asked
 * for the key of a chunk writes to it before it sends REGISTER FINISHED, and a reliable connection
 * delivers in order. With pin-all, where no keys are asked for, it is known at the end only.
 */
public final class ArrivingChunks {
  /** For each block the range of chunks whose keys were given since the last REGISTER FINISHED. */
  private final Map<ChunkTable, Range> given = new HashMap<>();

  private record Range(int from, int to) {}

  /** The keys of the chunks in {@code [from, to)} were given to the source, because it asked. */
  public void given(ChunkTable table, int from, int to) {
    given.merge(
        table,
        new Range(from, to),
        (one, other) -> new Range(Math.min(one.from, other.from), Math.max(one.to, other.to)));
  }

  /** REGISTER FINISHED has come, and what was written before it. */
  public void finished() {
    given.forEach((table, range) -> table.setStates(range.from, range.to, ArrivingChunks::arrived));
    given.clear();
  }

  /** All RAM has come, since the source has handed the guest over. */
  public static void all(List<ChunkTable> tables) {
    tables.forEach(table -> table.setStates(0, table.chunkCount(), ArrivingChunks::arrived));
  }

  private static ChunkState arrived(ChunkState state, int inTransit, int timesSent) {
    return state == ChunkState.REGISTERED ? ChunkState.SENT : state;
  }
}
