// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing buffer. Numbers are written seven bits per byte, the lowest bits first. */
final class ByteSink {
  /** Length of the longest number in bytes. */
  static final int MAX_NUMBER = 10;

  private byte[] bytes;
  private int size;

  ByteSink(int capacity) {
    bytes = new byte[capacity];
  }

  int size() {
    return size;
  }

  void clear() {
    size = 0;
  }

  ByteBuffer view() {
    return ByteBuffer.wrap(bytes, 0, size);
  }

  /** Ensures space for more bytes; numbers are written without a check. */
  void ensure(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, size + more));
    }
  }

  void u8(int value) {
    ensure(1);
    bytes[size++] = (byte) value;
  }

  /** Writes an unsigned number of 64 bits. */
  void number(long value) {
    ensure(MAX_NUMBER);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** Writes a signed number; numbers near 0 are short. */
  void signed(long value) {
    number(zigzag(value));
  }

  static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }

  void text(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    number(utf8.length);
    ensure(utf8.length);
    System.arraycopy(utf8, 0, bytes, size, utf8.length);
    size += utf8.length;
  }

  void append(ByteSink other) {
    ensure(other.size);
    System.arraycopy(other.bytes, 0, bytes, size, other.size);
    size += other.size;
  }
}
