// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.inspector;

import java.util.ArrayDeque;
import java.util.List;
import org.wridscope.analysis.EventChunks;
import org.wridscope.control.Session;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;

/** The newest events of one chunk, found in the log of its session. Thread-safe. */
final class ChunkHistory {
  /** The largest number of events kept. */
  static final int KEPT = 200;

  private static final int PIECE = 4_096;

  private final Session session;
  private final int block;
  private final int chunk;
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private long next;
  private long count;

  ChunkHistory(Session session, int block, int chunk) {
    this.session = session;
    this.block = block;
    this.chunk = chunk;
  }

  boolean isOf(Session otherSession, int otherBlock, int otherChunk) {
    return session.equals(otherSession) && block == otherBlock && chunk == otherChunk;
  }

  /** Reads the log to its end; the first call may take some milliseconds. */
  synchronized void readOn() {
    List<Event> piece = session.telemetry().log().read(next, PIECE);
    while (!piece.isEmpty()) {
      next = piece.getLast().number() + 1;
      for (Event event : piece) {
        if (concerns(event)) {
          events.addLast(event);
          count++;
          if (events.size() > KEPT) {
            events.removeFirst();
          }
        }
      }
      piece = session.telemetry().log().read(next, PIECE);
    }
  }

  /** How many events were found so far. */
  synchronized long count() {
    return count;
  }

  private boolean concerns(Event event) {
    long chunks =
        EventChunks.count(
            event.kind(), event.detail(), event.length(), event.wrid(), event.argument());
    long first = WorkRequestId.chunk(event.wrid());
    return WorkRequestId.block(event.wrid()) == block && chunk >= first && chunk < first + chunks;
  }

  /** The events found so far, oldest first. */
  synchronized List<Event> events() {
    return List.copyOf(events);
  }
}
