// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory as a buffer for the JDK's channels. A buffer covers at most 2 GiB, so one for larger
 * memory is replaced when another part is needed.
 */
final class RegionView {
  /** A buffer begins at a multiple of this. */
  private static final long STEP = 512L << 20;

  /** So that a message that begins before the next multiple lies in this buffer. */
  private static final long LENGTH = STEP + SoftDevice.MAX_MESSAGE_SIZE;

  private final MemorySegment memory;
  private @Nullable ByteBuffer buffer;
  private long base;

  RegionView(MemorySegment memory) {
    this.memory = memory;
  }

  /** The bytes at this offset of the memory. */
  ByteBuffer at(long offset, int length) {
    long wanted = offset / STEP * STEP;
    ByteBuffer window = buffer;
    if (window == null || wanted != base) {
      base = wanted;
      window = memory.asSlice(base, Math.min(memory.byteSize() - base, LENGTH)).asByteBuffer();
      buffer = window;
    }
    int position = (int) (offset - base);
    return window.limit(position + length).position(position);
  }
}
