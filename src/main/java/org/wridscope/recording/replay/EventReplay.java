// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import java.util.List;
import org.wridscope.recording.file.EventSink;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.file.SessionIndex.EventBlock;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Replay;

/** Fills the log of a recorded session with the events up to a moment. */
final class EventReplay {
  private final SessionIndex index;
  private final long shift;

  /**
   * @param shift is added to the times of the file
   */
  EventReplay(SessionIndex index, long shift) {
    this.index = index;
    this.shift = shift;
  }

  /** Brings a log to its state at a moment of the file's clock. */
  void move(EventLog log, long nanos, BlockReader reader) throws IOException {
    long size = sizeAt(nanos, reader);
    if (size < log.oldest() || size - log.size() > Replay.EVENTS_KEPT) {
      long first = Math.max(0, size - Replay.EVENTS_KEPT);
      log.restart(first - first % Replay.EVENT_STEP);
    } else if (size < log.size()) {
      log.truncate(size);
    }
    fill(log, log.size(), size, reader);
  }

  /** How many events there were up to a moment. */
  private long sizeAt(long nanos, BlockReader reader) throws IOException {
    List<EventBlock> blocks = index.eventBlocks();
    int last = Search.lastAt(blocks, EventBlock::firstNanos, nanos);
    if (last < 0) {
      return 0;
    }
    EventBlock block = blocks.get(last);
    if (nanos >= block.lastNanos()) {
      return block.first() + block.count();
    }
    long[] size = {block.first()};
    index.events(
        reader.payload(block.place()),
        block.firstNanos(),
        (at, kind, detail, length, wrid, argument) -> {
          if (at <= nanos) {
            size[0]++;
          }
        });
    return size[0];
  }

  private void fill(EventLog log, long from, long to, BlockReader reader) throws IOException {
    List<EventBlock> blocks = index.eventBlocks();
    int i = Math.max(0, Search.lastAt(blocks, EventBlock::first, from));
    for (; i < blocks.size() && blocks.get(i).first() < to; i++) {
      EventBlock block = blocks.get(i);
      long[] number = {block.first()};
      index.events(
          reader.payload(block.place()),
          block.firstNanos(),
          (nanos, kind, detail, length, wrid, argument) -> {
            if (number[0] >= from && number[0] < to) {
              log.add(nanos + shift, kind, detail, length, wrid, argument);
            }
            number[0]++;
          });
    }
  }

  /** Passes on the events after one moment and up to another, both of the file's clock. */
  void between(long after, long until, BlockReader reader, EventSink sink) throws IOException {
    List<EventBlock> blocks = index.eventBlocks();
    int i = Search.lastAt(blocks, EventBlock::lastNanos, after) + 1;
    for (; i < blocks.size() && blocks.get(i).firstNanos() <= until; i++) {
      EventBlock block = blocks.get(i);
      index.events(
          reader.payload(block.place()),
          block.firstNanos(),
          (nanos, kind, detail, length, wrid, argument) -> {
            if (nanos > after && nanos <= until) {
              sink.event(nanos, kind, detail, length, wrid, argument);
            }
          });
    }
  }
}
