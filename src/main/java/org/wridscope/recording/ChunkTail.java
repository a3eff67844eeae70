// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ArrivingChunks;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Advances chunks by events, from their last recorded state to a moment shortly after it. What no
 * event contains, such as keys of the peer, stays unknown until the next recorded state. Events
 * that match no chunk are ignored.
 */
final class ChunkTail {
  private final Role role;
  private final SendCoverage posted = new SendCoverage();
  private final ArrivingChunks arriving = new ArrivingChunks();
  private List<ChunkTable> tables = List.of();

  ChunkTail(Role role) {
    this.role = role;
  }

  /** Sets the chunks to be advanced from now on. */
  void begin(List<ChunkTable> newTables) {
    tables = newTables;
    posted.clear();
    arriving.clear();
  }

  void apply(EventKind kind, int detail, int length, long wrid, long argument) {
    switch (kind) {
      case POST_WRITE -> post(wrid, length, detail == 1);
      case CONTROL_SENT -> posted.posted(wrid, length, true);
      case COMPLETION_SEND_QUEUE -> complete(wrid, detail == WorkCompletionStatus.SUCCESS.value());
      case REGISTERED -> register(wrid, length, (int) argument);
      case KEY_GIVEN -> key(wrid, length, (int) argument);
      case ZERO -> zero(wrid, argument);
      case DEREGISTERED -> deregister(wrid, length, (int) argument);
      case UNREGISTER -> unregister(detail, wrid, length);
      case CONTROL_RECEIVED -> received(ControlType.of(detail));
      default -> {
        // does not change chunks
      }
    }
  }

  private boolean exists(long wrid) {
    int block = WorkRequestId.block(wrid);
    return block < tables.size() && WorkRequestId.chunk(wrid) < tables.get(block).chunkCount();
  }

  private void post(long wrid, int length, boolean signaled) {
    if (exists(wrid)) {
      ChunkTable table = tables.get(WorkRequestId.block(wrid));
      int chunk = (int) WorkRequestId.chunk(wrid);
      if (table.inTransit(chunk) < Short.MAX_VALUE) {
        table.posted(chunk);
        posted.posted(wrid, length, signaled);
      }
    }
  }

  private void complete(long wrid, boolean arrived) {
    long _ = posted.completed(wrid, arrived, (covered, _) -> completed(covered, true));
    completed(wrid, arrived);
  }

  private void completed(long wrid, boolean arrived) {
    if (WorkRequestId.type(wrid) != WorkRequestId.RDMA_WRITE || !exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int chunk = (int) WorkRequestId.chunk(wrid);
    if (table.inTransit(chunk) > 0) {
      table.completed(chunk, arrived);
    }
  }

  private void register(long wrid, int chunks, int key) {
    if (!exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    int end = end(table, first, chunks);
    table.setLocalKeys(first, end, key);
    table.setReleases(first, end, ChunkRelease.NONE);
    if (role == Role.DESTINATION) {
      table.setStates(first, end, (state, inTransit, timesSent) -> ChunkState.REGISTERED);
    }
  }

  /** A chunk whose key is another one was registered again. */
  private void deregister(long wrid, int chunks, int key) {
    if (exists(wrid)) {
      ChunkTable table = tables.get(WorkRequestId.block(wrid));
      int first = (int) WorkRequestId.chunk(wrid);
      if (table.localKey(first) == key) {
        int end = end(table, first, chunks);
        table.setLocalKeys(first, end, 0);
        table.setStates(first, end, ChunkTail::withoutKey);
      }
    }
  }

  private void key(long wrid, int chunks, int key) {
    if (!exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    int end = end(table, first, chunks);
    table.setRemoteKeys(first, end, key);
    if (role == Role.DESTINATION) {
      // Its registration may be an earlier one, which changes nothing.
      table.setStates(first, end, ChunkTail::withKey);
      arriving.given(table, first, end);
    } else {
      table.setStates(first, end, (state, inTransit, timesSent) -> ChunkState.REGISTERED);
    }
  }

  private void received(@Nullable ControlType type) {
    if (role == Role.DESTINATION && type == ControlType.REGISTER_FINISHED) {
      arriving.finished();
    } else if (role == Role.DESTINATION && type == ControlType.SWITCH_OVER) {
      ArrivingChunks.all(tables);
    }
  }

  private void unregister(int detail, long wrid, int chunks) {
    UnregisterStep step = UnregisterStep.of(detail);
    ChunkRelease release = step == null ? null : step.release();
    if (release == null || !exists(wrid)) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    int end = end(table, first, chunks);
    table.setReleases(first, end, release);
    if (step == UnregisterStep.DEREGISTERED) {
      table.setStates(first, end, (state, inTransit, timesSent) -> ChunkState.NOT_REGISTERED);
    }
  }

  private static int end(ChunkTable table, int first, int chunks) {
    return (int) Math.min(table.chunkCount(), first + Math.max(0L, chunks));
  }

  private void zero(long wrid, long bytes) {
    if (!exists(wrid) || bytes < 1) {
      return;
    }
    ChunkTable table = tables.get(WorkRequestId.block(wrid));
    int first = (int) WorkRequestId.chunk(wrid);
    long chunks = Math.ceilDiv(Math.min(bytes, table.length()), ChunkTable.CHUNK_SIZE);
    table.setStates(
        first,
        (int) Math.min(table.chunkCount(), first + chunks),
        role == Role.DESTINATION ? ChunkTail::zeroAtDestination : ChunkTail::zeroAtSource);
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
