// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;

/** Encodes events into blocks of {@link BlockType#EVENTS}. Each block can be decoded on its own. */
final class EventEncoder implements EventSink {
  /** Length of the longest event in bytes. */
  private static final int MAX_EVENT = 1 + 9 * ByteSink.MAX_NUMBER;

  private final ByteSink records = new ByteSink(RecordingFormat.FULL_BLOCK + MAX_EVENT);
  private final EventPrediction[] predictions = EventPrediction.fresh();
  private int count;
  private long first;
  private long last = Long.MIN_VALUE;

  @Override
  public void event(long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    // An engine writes events in the order of time. If it did not, the order would count more than
    // the time.
    long now = Math.max(nanos, last);
    if (count == 0) {
      first = now;
      last = now;
    }
    int tag = EventPrediction.tag(kind.ordinal(), wrid);
    EventPrediction expected = predictions[tag];
    int type = WorkRequestId.type(wrid);
    int block = WorkRequestId.block(wrid);
    long chunk = WorkRequestId.chunk(wrid);
    boolean wridDiffers =
        type != expected.type || block != expected.block || chunk != expected.nextChunk();
    int mask =
        (detail != expected.detail ? EventPrediction.DETAIL : 0)
            | (length != expected.length ? EventPrediction.LENGTH : 0)
            | (wridDiffers ? EventPrediction.WRID : 0)
            | (argument != expected.nextArgument() ? EventPrediction.ARGUMENT : 0);
    records.ensure(MAX_EVENT);
    records.u8(tag);
    records.number(((now - last) << EventPrediction.MASK_BITS) | mask);
    last = now;
    if ((mask & EventPrediction.DETAIL) != 0) {
      records.number(detail);
      expected.detail = detail;
    }
    if ((mask & EventPrediction.LENGTH) != 0) {
      records.signed((long) length - expected.length);
      expected.length = length;
    }
    if ((mask & EventPrediction.WRID) != 0) {
      wrid(expected, type, block, chunk);
    }
    if ((mask & EventPrediction.ARGUMENT) != 0) {
      records.signed(argument - expected.nextArgument());
    }
    expected.foundChunk(chunk);
    expected.foundArgument(argument);
    count++;
  }

  private void wrid(EventPrediction expected, int type, int block, long chunk) {
    boolean otherType = type != expected.type;
    boolean otherBlock = block != expected.block;
    long moved = ByteSink.zigzag(chunk - expected.nextChunk());
    records.number(moved << 2 | (otherType ? 2 : 0) | (otherBlock ? 1 : 0));
    if (otherType) {
      records.number(type);
      expected.type = type;
    }
    if (otherBlock) {
      records.number(block);
      expected.block = block;
    }
  }

  int count() {
    return count;
  }

  boolean isFull() {
    return records.size() >= RecordingFormat.FULL_BLOCK;
  }

  /**
   * Writes the block and starts the next one.
   *
   * @param leftOut number of events skipped before the first one of this block
   */
  void finish(ByteSink into, long leftOut) {
    into.number(leftOut);
    into.number(count);
    into.signed(first);
    into.number(last - first);
    into.append(records);
    records.clear();
    count = 0;
    for (EventPrediction prediction : predictions) {
      prediction.reset();
    }
  }
}
