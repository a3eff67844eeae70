// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory as the channels of the JDK take it: a buffer, which reaches no further than 2 GiB. One of
 * larger memory is made anew when another part is asked for.
 */
final class RegionView {
  /** Parts begin at multiples of this. */
  private static final long STEP = 512L << 20;

  /** So that a message that begins before the next part does lies in this one. */
  private static final long LENGTH = STEP + SoftDevice.MAX_MESSAGE_SIZE;

  private final MemorySegment memory;
  private @Nullable ByteBuffer buffer;
  private long base;

  RegionView(MemorySegment memory) {
    this.memory = memory;
  }

  /** The bytes at this offset, which lie in the memory. */
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
