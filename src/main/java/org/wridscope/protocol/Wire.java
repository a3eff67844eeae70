// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What all codecs of this room check before they touch a buffer. */
final class Wire {
  private Wire() {}

  /** For a buffer that is written to: one of the wrong order is a mistake of the caller. */
  static void requireOrder(ByteBuffer buffer) {
    if (buffer.order() != ByteOrder.BIG_ENDIAN) {
      throw new IllegalArgumentException("the buffer is little-endian; the wire is big-endian");
    }
  }

  /** For a buffer that is read from: that many bytes must be left. */
  static void requireBytes(ByteBuffer buffer, int bytes, String what) throws ProtocolException {
    requireOrder(buffer);
    if (buffer.remaining() < bytes) {
      throw ProtocolException.of(
          "number of bytes left for " + what, buffer.remaining(), "at least " + bytes);
    }
  }

  /** The commands in a message: their number is given, and must be what the payload is made of. */
  static int requireRepeat(ControlHeader header, int commandBytes) throws ProtocolException {
    int repeat = header.repeat();
    if (repeat < 1 || repeat > ControlHeader.MAX_REPEAT) {
      throw ProtocolException.of(
          header.type().text() + " repeat", repeat, "1 to " + ControlHeader.MAX_REPEAT);
    }
    if (header.length() != repeat * commandBytes) {
      throw ProtocolException.of(
          header.type().text() + " length",
          header.length(),
          "%d, %d commands of %d bytes".formatted(repeat * commandBytes, repeat, commandBytes));
    }
    return repeat;
  }

  /**
   * Block indexes have 14 bits in a work request id, and 16383 blocks fit one RAM BLOCKS RESULT.
   */
  static int requireBlock(int block, int blocks, String what) throws ProtocolException {
    if (Integer.compareUnsigned(block, blocks) >= 0) {
      throw ProtocolException.ofUnsigned(what + " block index", block, "0 to " + (blocks - 1));
    }
    return block;
  }

  /** Chunk numbers have 34 bits in a work request id. */
  static long requireChunk(long chunk, String field) throws ProtocolException {
    if (chunk < 0 || chunk > WorkRequestId.MAX_CHUNK) {
      throw ProtocolException.ofUnsigned(field, chunk, "0 to " + WorkRequestId.MAX_CHUNK);
    }
    return chunk;
  }
}
