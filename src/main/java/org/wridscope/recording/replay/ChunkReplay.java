// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.memory.ChunkSnapshot;
import org.wridscope.memory.ChunkTable;
import org.wridscope.recording.file.BlockShape;
import org.wridscope.recording.file.Names;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.file.SessionIndex.ChunkBlock;

/** The chunks of a recorded session at the last moment at which they were recorded. */
final class ChunkReplay {
  /** No block of chunks has been applied. */
  private static final int NONE = -1;

  private final SessionIndex index;
  private int generation = NONE;
  private List<ChunkTable> tables = List.of();
  private List<ChunkTable> shown = List.of();
  private List<ChunkSnapshot> base = List.of();
  private int applied = NONE;
  private int remoteList = NONE;

  ChunkReplay(SessionIndex index) {
    this.index = index;
  }

  /** The tables of the moment; empty before the blocks were known. */
  List<ChunkTable> tables() {
    return tables;
  }

  /** Tables of the same blocks that show another moment in the meantime. */
  List<ChunkTable> shown() {
    return shown;
  }

  /** Resets the position after a failure, so that the next move starts from a key frame. */
  void forget() {
    applied = NONE;
    base.forEach(ChunkSnapshot::clear);
  }

  /** When {@link #base()} was recorded; the distant past when nothing was. */
  long baseNanos() {
    return applied == NONE ? Long.MIN_VALUE : index.chunkBlocks().get(applied).nanos();
  }

  /** The last recorded state. */
  List<ChunkSnapshot> base() {
    return base;
  }

  /**
   * Moves to a moment, from the nearest key frame before it or from the present position, whichever
   * is nearer.
   *
   * @return whether the base has changed
   */
  boolean moveTo(long nanos, BlockReader reader) throws IOException {
    int newGeneration = Search.lastAt(index.names().generations(), Names.Generation::nanos, nanos);
    boolean changed = newGeneration != generation;
    if (changed) {
      use(newGeneration);
    }
    int wanted = Search.lastAt(index.chunkBlocks(), ChunkBlock::nanos, nanos);
    if (wanted >= 0 && index.chunkBlocks().get(wanted).generation() != generation) {
      wanted = NONE;
    }
    if (wanted != applied) {
      changed = true;
      apply(wanted, reader);
    }
    remoteAddresses(nanos);
    return changed;
  }

  private void use(int newGeneration) {
    generation = newGeneration;
    applied = NONE;
    remoteList = NONE;
    var newTables = new ArrayList<ChunkTable>();
    var newShown = new ArrayList<ChunkTable>();
    var newBase = new ArrayList<ChunkSnapshot>();
    if (generation != NONE) {
      List<BlockShape> blocks = index.names().generations().get(generation).blocks();
      for (BlockShape block : blocks) {
        newTables.add(table(newTables.size(), block));
        newShown.add(table(newShown.size(), block));
        newBase.add(new ChunkSnapshot(newTables.getLast().chunkCount()));
      }
    }
    tables = List.copyOf(newTables);
    shown = List.copyOf(newShown);
    base = List.copyOf(newBase);
  }

  private static ChunkTable table(int index, BlockShape block) {
    return new ChunkTable(index, block.name(), block.length(), block.localAddress());
  }

  private void apply(int wanted, BlockReader reader) throws IOException {
    int from = wanted;
    while (from >= 0 && from != applied && !index.chunkBlocks().get(from).key()) {
      from--;
    }
    int next = from;
    if (from != NONE && from == applied) {
      next = from + 1;
    } else {
      base.forEach(ChunkSnapshot::clear);
    }
    for (int i = Math.max(0, next); i <= wanted; i++) {
      ChunkBlock block = index.chunkBlocks().get(i);
      if (block.key()) {
        base.forEach(ChunkSnapshot::clear);
      }
      index.chunks(
          reader.payload(block.place()),
          index.names().generations().get(generation).blocks(),
          (of, first, to, state, release, inTransit, timesSent, localKey, remoteKey) ->
              base.get(of)
                  .set(first, to, state, release, inTransit, timesSent, localKey, remoteKey));
    }
    applied = wanted;
  }

  private void remoteAddresses(long nanos) {
    int found = Search.lastAt(index.names().remoteAddresses(), Names.RemoteAddresses::nanos, nanos);
    if (found != NONE && index.names().remoteAddresses().get(found).generation() != generation) {
      found = NONE;
    }
    if (found == remoteList) {
      return;
    }
    remoteList = found;
    for (int i = 0; i < tables.size(); i++) {
      long[] addresses =
          found == NONE ? new long[0] : index.names().remoteAddresses().get(found).addresses();
      tables.get(i).setRemoteAddress(i < addresses.length ? addresses[i] : 0);
    }
  }
}
