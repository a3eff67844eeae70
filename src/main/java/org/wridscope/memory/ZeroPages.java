// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Zero detection. */
public final class ZeroPages {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  /**
   * Bytes that are copied at a time. A copy stays in the processor's nearest cache, and memory
   * stands still only while it is compared. Half and twice as many are slower.
   */
  private static final int STEP = 2 * RamBlock.PAGE_SIZE;

  /**
   * Zeros before each copy. The copy is compared with itself and the zeros, that many bytes
   * earlier, so that no other zeros have to be in the cache.
   */
  private static final int ZEROS = 64;

  private static final ThreadLocal<byte[]> COPY =
      ThreadLocal.withInitial(() -> new byte[ZEROS + STEP]);

  private ZeroPages() {}

  /**
   * Whether every byte of a range is zero. Stops within two pages of the first byte that is not.
   *
   * <p>The bytes are copied before they are compared: a fault in memory that a file backs, which
   * may have become shorter, throws {@link InternalError} in a copy, but would end the process in
   * {@link MemorySegment#mismatch}. Reading them one by one is as fast only when it has been
   * compiled for long.
   *
   * @param memory native memory whose address is a multiple of 8
   * @param offset a multiple of 8
   * @param length in bytes, a multiple of 8
   */
  public static boolean isZero(MemorySegment memory, long offset, long length) {
    byte[] copy = COPY.get();
    long end = offset + length;
    for (long at = offset; at < end; at += STEP) {
      int bytes = (int) Math.min(STEP, end - at);
      // Most pages that are not zero are not so from their beginning.
      if (memory.get(LONG, at) != 0) {
        return false;
      }
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, copy, ZEROS, bytes);
      if (!Arrays.equals(copy, 0, bytes, copy, ZEROS, ZEROS + bytes)) {
        return false;
      }
    }
    return true;
  }
}
