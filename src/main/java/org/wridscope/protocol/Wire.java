// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Checks and fields that several codecs of this package share. */
final class Wire {
  private Wire() {}

  /**
   * Checks the byte order of a buffer.
   *
   * @throws IllegalArgumentException if it is little-endian, which is an error of the caller
   */
  static void requireOrder(ByteBuffer buffer) {
    if (buffer.order() != ByteOrder.BIG_ENDIAN) {
      throw new IllegalArgumentException("the buffer is little-endian; the wire is big-endian");
    }
  }

  /** Checks that a buffer has at least this many bytes left to read. */
  static void requireBytes(ByteBuffer buffer, int bytes, String what) throws ProtocolException {
    requireOrder(buffer);
    if (buffer.remaining() < bytes) {
      throw ProtocolException.of(
          "number of bytes left for " + what, buffer.remaining(), "at least " + bytes);
    }
  }

  /** Writes QEMU's {@code RDMARegister}, with a padding of zero. */
  static void putRegister(ByteBuffer buffer, long start, int block, long chunks) {
    requireOrder(buffer);
    buffer.putLong(start).putInt(block).putInt(0).putLong(chunks);
  }

  /** Reads a block index and four bytes of padding. */
  static int getPaddedBlock(ByteBuffer buffer, ControlType type) throws ProtocolException {
    int block = buffer.getInt();
    buffer.getInt();
    return requireBlock(block, RemoteBlock.MAX_BLOCKS, type);
  }

  /** Checks a block index, 0 to before {@code blocks}. */
  static int requireBlock(int block, int blocks, ControlType type) throws ProtocolException {
    if (Integer.compareUnsigned(block, blocks) >= 0) {
      throw ProtocolException.ofUnsigned(
          type.text() + " block index", block, "0 to " + (blocks - 1));
    }
    return block;
  }

  /** Reads a number or count of chunks, which has 34 bits in a work request id. */
  static long getChunk(ByteBuffer buffer, String field) throws ProtocolException {
    long chunk = buffer.getLong();
    if (chunk < 0 || chunk > WorkRequestId.MAX_CHUNK) {
      throw ProtocolException.ofUnsigned(field, chunk, "0 to " + WorkRequestId.MAX_CHUNK);
    }
    return chunk;
  }
}
