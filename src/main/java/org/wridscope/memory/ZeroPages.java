// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Zero detection. */
public final class ZeroPages {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  /**
   * Bytes that are tested at a time. They stay in the processor's nearest cache together with the
   * zeros; with a page at a time, memory stands still for longer between the copies.
   */
  private static final int STEP = 4 * RamBlock.PAGE_SIZE;

  private static final byte[] ZEROS = new byte[STEP];

  private static final ThreadLocal<byte[]> COPY = ThreadLocal.withInitial(() -> new byte[STEP]);

  private ZeroPages() {}

  /**
   * Whether every byte of a range is zero. Stops within four pages of the first byte that is not.
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
      MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, at, copy, 0, bytes);
      if (!Arrays.equals(copy, 0, bytes, ZEROS, 0, bytes)) {
        return false;
      }
    }
    return true;
  }
}
