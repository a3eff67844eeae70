// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.BitSet;
import java.util.List;
import org.wridscope.memory.ChunkTable;

/** The chunks that are about to be written, which must stay registered. */
final class BusyChunks {
  private final List<BitSet> chunks;

  BusyChunks(List<ChunkTable> tables) {
    chunks = tables.stream().map(table -> new BitSet()).toList();
  }

  /** Adds the pieces of a batch, from one of them on. */
  void add(WriteBatch batch, int from) {
    for (int i = from; i < batch.pieces; i++) {
      chunks.get(batch.block[i]).set(ChunkTable.chunkOf(batch.offset[i]));
    }
  }

  /** Whether any of some chunks is about to be written. */
  boolean hasAny(int block, int first, int count) {
    int next = chunks.get(block).nextSetBit(first);
    return next >= 0 && next < first + count;
  }
}
