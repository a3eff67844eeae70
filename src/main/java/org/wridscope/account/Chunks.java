// SPDX-License-Identifier: Apache-2.0
package org.wridscope.account;

import java.util.List;
import org.wridscope.memory.ArrivingChunks;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.UnregisterStep;

/** Advances the states of chunks by events. Events that match no chunk are ignored. */
final class Chunks {
  private final Role role;
  private final ArrivingChunks arriving = new ArrivingChunks();
  private List<ChunkTable> tables = List.of();
  private boolean disconnected;

  /** Whether the key of a registration is the one for its end's own requests. */
  private final boolean ownKeys;

  Chunks(Role role, boolean ownKeys) {
    this.role = role;
    this.ownKeys = ownKeys;
  }

  /** The same of no chunks. */
  Chunks(Chunks other) {
    this(other.role, other.ownKeys);
  }

  void setBlocks(List<ChunkTable> newTables) {
    tables = newTables;
  }

  /** What is registered from now on is only given back. */
  void disconnecting() {
    disconnected = true;
  }

  void allKeysKnown() {
    for (ChunkTable table : tables) {
      table.setStates(0, table.chunkCount(), Chunks::registered);
    }
  }

  void allArrived(boolean pinned) {
    ArrivingChunks.all(tables);
    for (ChunkTable table : pinned ? tables : List.<ChunkTable>of()) {
      table.setStates(0, table.chunkCount(), Chunks::pinnedArrived);
    }
  }

  private boolean exists(long wrid) {
    int block = WorkRequestId.block(wrid);
    return block < tables.size() && WorkRequestId.chunk(wrid) < tables.get(block).chunkCount();
  }

  void posted(long wrid) {
    if (exists(wrid)) {
      ChunkTable table = tables.get(WorkRequestId.block(wrid));
      int chunk = (int) WorkRequestId.chunk(wrid);
      if (table.inTransit(chunk) < Short.MAX_VALUE) {
        table.posted(chunk);
      }
    }
  }

  void completed(long wrid, boolean arrived) {
    if (exists(wrid)) {
      ChunkTable table = tables.get(WorkRequestId.block(wrid));
      int chunk = (int) WorkRequestId.chunk(wrid);
      if (table.inTransit(chunk) > 0) {
        table.completed(chunk, arrived);
      }
    }
  }

  void registered(long wrid, int chunks, int key) {
    if (!exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    int end = end(table, first, chunks);
    setKeys(table, first, end, key);
    table.setReleases(first, end, ChunkRelease.NONE);
    if (role == Role.DESTINATION) {
      table.setStates(first, end, Chunks::registered);
    }
  }

  private void setKeys(ChunkTable table, int first, int end, int key) {
    if (ownKeys) {
      table.setLocalKeys(first, end, key);
    } else if (role == Role.DESTINATION) {
      table.setRemoteKeys(first, end, key);
    }
  }

  /** A chunk whose key is another one was registered again. */
  void deregistered(long wrid, int chunks, int key) {
    if (exists(wrid)) {
      ChunkTable table = tables.get(WorkRequestId.block(wrid));
      int first = (int) WorkRequestId.chunk(wrid);
      if (!ownKeys || table.localKey(first) == key) {
        int end = end(table, first, chunks);
        setKeys(table, first, end, 0);
        table.setStates(first, end, Chunks::withoutKey);
      }
      if (disconnected) {
        int end = end(table, first, chunks);
        table.keepRegistered(first, end);
        table.setRemoteKeys(first, end, 0);
      }
    }
  }

  void keyGiven(long wrid, int chunks, int key) {
    if (!exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    int end = end(table, first, chunks);
    table.setRemoteKeys(first, end, key);
    if (role == Role.DESTINATION) {
      // Its registration may be an earlier one, which changes nothing.
      table.setStates(first, end, Chunks::withKey);
      arriving.given(table, first, end);
    } else {
      table.setStates(first, end, Chunks::registered);
    }
  }

  void received(ControlType type) {
    if (role == Role.DESTINATION && type == ControlType.REGISTER_FINISHED) {
      arriving.finished();
    } else if (role == Role.DESTINATION && type == ControlType.SWITCH_OVER) {
      ArrivingChunks.all(tables);
    }
  }

  void unregister(UnregisterStep step, long wrid, int chunks) {
    ChunkRelease release = step.release();
    if (release == null || !exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    int end = end(table, first, chunks);
    table.setReleases(first, end, release);
    if (step == UnregisterStep.REQUESTED || step == UnregisterStep.DEREGISTERED) {
      table.setRemoteKeys(first, end, 0);
    }
    if (step == UnregisterStep.DEREGISTERED) {
      table.setStates(first, end, Chunks::notRegistered);
    }
  }

  private static int end(ChunkTable table, int first, int chunks) {
    return (int) Math.min(table.chunkCount(), first + Math.max(0L, chunks));
  }

  /** The range begins at a page of the first chunk. */
  void zero(long wrid, int page, long bytes) {
    if (!exists(wrid) || bytes < 1) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    long begin = ChunkTable.offsetOf(first) + ((long) page << RamBlock.PAGE_SHIFT);
    long last = begin + Math.min(bytes, table.length()) - 1;
    table.setStates(
        first,
        Math.min(table.chunkCount(), Math.max(first, ChunkTable.chunkOf(last)) + 1),
        role == Role.DESTINATION ? Chunks::zeroAtDestination : Chunks::zeroAtSource);
  }

  private static ChunkState registered(ChunkState state, int inTransit, int timesSent) {
    return ChunkState.REGISTERED;
  }

  private static ChunkState notRegistered(ChunkState state, int inTransit, int timesSent) {
    return ChunkState.NOT_REGISTERED;
  }

  private static ChunkState pinnedArrived(ChunkState state, int inTransit, int timesSent) {
    return state == ChunkState.NOT_REGISTERED ? ChunkState.SENT : state;
  }

  private static ChunkState withKey(ChunkState state, int inTransit, int timesSent) {
    return state == ChunkState.SENT ? state : ChunkState.REGISTERED;
  }

  private static ChunkState withoutKey(ChunkState state, int inTransit, int timesSent) {
    return state == ChunkState.REGISTERED ? ChunkState.NOT_REGISTERED : state;
  }

  private static ChunkState zeroAtDestination(ChunkState state, int inTransit, int timesSent) {
    return state == ChunkState.NOT_REGISTERED ? ChunkState.ZERO : state;
  }

  private static ChunkState zeroAtSource(ChunkState state, int inTransit, int timesSent) {
    if (inTransit > 0) {
      return state;
    }
    return timesSent == 0 ? ChunkState.ZERO : ChunkState.SENT;
  }
}
