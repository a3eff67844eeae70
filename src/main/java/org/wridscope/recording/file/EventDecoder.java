// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;

/** Decodes blocks of {@link BlockType#EVENTS}. */
final class EventDecoder {
  private static final int MAX_DETAIL = 0xffff;
  private static final int MAX_TYPE = 0xffff;

  private final Dictionary dictionary;
  private final EventPrediction[] predictions = EventPrediction.fresh();

  EventDecoder(Dictionary dictionary) {
    this.dictionary = dictionary;
  }

  /**
   * The head of a block.
   *
   * @param leftOut number of events skipped before the first one
   * @param count number of events in the block, including those that this version does not know
   */
  record Head(long leftOut, int count, long firstNanos, long lastNanos) {}

  static Head head(ByteSource source) throws RecordingException {
    long leftOut = source.number("number of events left out");
    if (leftOut < 0) {
      throw RecordingException.of(
          "number of events left out", Long.toUnsignedString(leftOut), "63 bits");
    }
    // An event takes at least two bytes.
    int count = source.atMost(source.remaining() / 2, "number of events of a block");
    long first = source.signed("time of the first event");
    long length = source.number("length of time of a block");
    if (length < 0 || first + length < first) {
      throw RecordingException.of(
          "length of time of a block", Long.toUnsignedString(length), "63 bits");
    }
    return new Head(leftOut, count, first, first + length);
  }

  /**
   * Decodes a whole block.
   *
   * @param floor the time of all events that have an earlier one
   * @return how many events are of kinds that this version does not know
   */
  int decode(ByteBuffer payload, long floor, EventSink sink) throws RecordingException {
    var source = new ByteSource(payload);
    Head head = head(source);
    for (EventPrediction prediction : predictions) {
      prediction.reset();
    }
    long nanos = head.firstNanos;
    int unknown = 0;
    for (int i = 0; i < head.count; i++) {
      int tag = source.u8("tag of an event");
      long timeAndMask = source.number("time of an event");
      nanos += timeAndMask >>> EventPrediction.MASK_BITS;
      if (nanos < head.firstNanos || nanos > head.lastNanos) {
        throw RecordingException.of(
            "time of an event", nanos, head.firstNanos + " to " + head.lastNanos);
      }
      EventPrediction expected = predictions[tag];
      fields(source, (int) timeAndMask, expected);
      EventKind kind = dictionary.kind(tag >> 1);
      if (kind == null) {
        unknown++;
      } else {
        sink.event(
            Math.max(nanos, floor),
            kind,
            dictionary.detail(kind, expected.detail),
            expected.length,
            WorkRequestId.of(expected.type, expected.block, expected.chunk),
            expected.argument);
      }
    }
    if (source.hasMore()) {
      throw RecordingException.of("rest of a block of events", source.remaining(), "0 bytes");
    }
    return unknown;
  }

  private static void fields(ByteSource source, int mask, EventPrediction expected)
      throws RecordingException {
    if ((mask & EventPrediction.DETAIL) != 0) {
      expected.detail = source.atMost(MAX_DETAIL, "detail of an event");
    }
    if ((mask & EventPrediction.LENGTH) != 0) {
      expected.length = (int) (expected.length + source.signed("length of an event"));
    }
    long chunk = expected.nextChunk();
    if ((mask & EventPrediction.WRID) != 0) {
      long change = source.number("wrid of an event");
      long moved = change >>> 2;
      chunk = chunk + (moved >>> 1 ^ -(moved & 1)) & WorkRequestId.MAX_CHUNK;
      if ((change & 2) != 0) {
        expected.type = source.atMost(MAX_TYPE, "wrid type of an event");
      }
      if ((change & 1) != 0) {
        expected.block = source.atMost(WorkRequestId.MAX_BLOCK, "wrid block of an event");
      }
    }
    long argument = expected.nextArgument();
    if ((mask & EventPrediction.ARGUMENT) != 0) {
      argument += source.signed("argument of an event");
    }
    expected.foundChunk(chunk);
    expected.foundArgument(argument);
  }
}
