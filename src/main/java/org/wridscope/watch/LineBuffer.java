// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Bytes that arrive in pieces of any length, and leave as whole lines. */
final class LineBuffer {
  /** A longer line is cut into several. */
  private static final int LONGEST_LINE = 1 << 16;

  private final ByteBuffer buffer;

  /**
   * @param atOnce how many bytes may arrive at once
   */
  LineBuffer(int atOnce) {
    buffer = ByteBuffer.allocateDirect(atOnce + LONGEST_LINE);
  }

  /** Where bytes are to be put. */
  ByteBuffer space() {
    return buffer;
  }

  /** Takes the whole lines that have arrived; null if there is none. */
  @Nullable Lines take() {
    int end = buffer.position();
    while (end > 0 && buffer.get(end - 1) != '\n') {
      end--;
    }
    if (end == 0 && buffer.position() >= LONGEST_LINE) {
      end = buffer.position();
    }
    if (end == 0) {
      return null;
    }
    var bytes = new byte[end];
    buffer.flip().get(bytes);
    buffer.compact();
    return new Lines(bytes, System.nanoTime());
  }
}
