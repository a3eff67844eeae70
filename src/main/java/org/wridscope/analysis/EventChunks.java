// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.UnregisterStep;

/** Which chunks events are about. */
public final class EventChunks {
  private EventChunks() {}

  /**
   * How many chunks an event is about, of which the wrid has the block and the first chunk; 0 if it
   * is about none. The parameters are the fields of an {@link org.wridscope.telemetry.Event}.
   */
  public static long count(EventKind kind, int detail, int length, long wrid, long argument) {
    return switch (kind) {
      case POST_WRITE -> 1;
      case ZERO -> Math.ceilDiv(argument, ChunkTable.CHUNK_SIZE);
      case COMPLETION_SEND_QUEUE -> WorkRequestId.type(wrid) == WorkRequestId.RDMA_WRITE ? 1 : 0;
      case REGISTERED, DEREGISTERED, KEY_REQUESTED, KEY_GIVEN -> length;
      case UNREGISTER -> detail == UnregisterStep.ALREADY_QUEUED.ordinal() ? 0 : length;
      default -> 0;
    };
  }
}
