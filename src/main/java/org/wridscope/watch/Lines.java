// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.nio.charset.StandardCharsets;

/** Whole lines, each with its end, which may be missing after the last one. */
final class Lines {
  private final byte[] bytes;
  private final long nanos;

  /**
   * @param bytes must not be changed any more
   * @param nanos {@link System#nanoTime()} when they were read
   */
  Lines(byte[] bytes, long nanos) {
    this.bytes = bytes;
    this.nanos = nanos;
  }

  /** {@link System#nanoTime()} when they were read. */
  long nanos() {
    return nanos;
  }

  /** How many bytes they are. */
  int length() {
    return bytes.length;
  }

  /** How many ends of lines there are. */
  int count() {
    int count = 0;
    for (byte each : bytes) {
      count += each == '\n' ? 1 : 0;
    }
    return count;
  }

  /** All of them. */
  String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Each without its end. */
  String[] texts() {
    return text().split("\n");
  }
}
