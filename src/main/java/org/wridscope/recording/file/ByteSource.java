// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.wridscope.text.Legible;

/**
 * Reads what a {@link ByteSink} wrote. Trusts nothing: every method throws if the data is
 * incomplete or out of range.
 */
final class ByteSource {
  private final ByteBuffer bytes;

  /** Reads from the buffer's position to its limit, without changing the buffer. */
  ByteSource(ByteBuffer bytes) {
    this.bytes = bytes.slice().order(ByteOrder.BIG_ENDIAN);
  }

  boolean hasMore() {
    return bytes.hasRemaining();
  }

  int remaining() {
    return bytes.remaining();
  }

  int u8(String field) throws RecordingException {
    if (!bytes.hasRemaining()) {
      throw new RecordingException("A block ends before its " + field + ".");
    }
    return bytes.get() & 0xff;
  }

  /** An unsigned number of 64 bits. */
  long number(String field) throws RecordingException {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      int next = u8(field);
      if (shift == 63 && next > 1) {
        break;
      }
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw RecordingException.of(field, "longer than 64 bits", "a number of 64 bits");
  }

  long signed(String field) throws RecordingException {
    long zigzag = number(field);
    return zigzag >>> 1 ^ -(zigzag & 1);
  }

  /** A number from 0 to {@code max}. */
  int atMost(int max, String field) throws RecordingException {
    long value = number(field);
    if (value < 0 || value > max) {
      throw RecordingException.of(field, Long.toUnsignedString(value), "0 to " + max);
    }
    return (int) value;
  }

  /** A text of at most {@code maxBytes} bytes of UTF-8, made {@linkplain Legible legible}. */
  String text(int maxBytes, String field) throws RecordingException {
    return Legible.of(characters(maxBytes, field));
  }

  /** A text of at most {@code maxBytes} bytes of UTF-8, unchanged, which must not be shown. */
  String characters(int maxBytes, String field) throws RecordingException {
    int length = atMost(maxBytes, "length of " + field);
    if (length > bytes.remaining()) {
      throw RecordingException.of("length of " + field, length, "at most " + bytes.remaining());
    }
    ByteBuffer part = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(part).toString();
    } catch (CharacterCodingException e) {
      throw new RecordingException("The " + field + " is not UTF-8.", e);
    }
  }
}
