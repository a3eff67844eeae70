// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Zero detection. */
public final class ZeroPages {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  /** Longs that are looked at together, in four columns, which the compiler turns into vectors. */
  private static final int LINE = 8;

  /**
   * Longs that are copied at a time, half a page. A copy stays in the processor's nearest cache,
   * and looking at it goes on while the next is fetched. Half and twice as many are slower.
   */
  private static final int STEP = 256;

  /** Memory serves reads at so many places at a time faster than at one. */
  private static final int PLACES = 4;

  /**
   * Bytes that are copied at a place before the next one's turn. Half and twice as many are slower.
   */
  private static final int TURN = STEP / PLACES * Long.BYTES;

  /** A range of fewer bytes is read from one place, as a page is faster so. */
  private static final long LONG_RANGE = 16L * RamBlock.PAGE_SIZE;

  private static final ThreadLocal<long[]> COPY = ThreadLocal.withInitial(() -> new long[STEP]);

  private ZeroPages() {}

  /**
   * Whether every byte of a range is zero. A long range is read at four places in turn. Stops half
   * a page after the first byte that is not zero, in the order of reading.
   *
   * <p>The bytes are copied before they are looked at: a fault in memory that a file backs, which
   * may have become shorter, throws {@link InternalError} in a copy, but would end the process in
   * {@link MemorySegment#mismatch}. Reading them where they are is no faster.
   *
   * @param memory native memory whose address is a multiple of 8
   * @param offset a multiple of 8
   * @param length in bytes, a multiple of 64
   */
  public static boolean isZero(MemorySegment memory, long offset, long length) {
    // Most pages that are not zero are not so from their beginning. Between copies this would slow
    // them down by half.
    if (length > 0 && memory.get(LONG, offset) != 0) {
      return false;
    }
    long[] copy = COPY.get();
    long part = length < LONG_RANGE ? 0 : length / PLACES / TURN * TURN;
    for (long at = offset; at < offset + part; at += TURN) {
      for (int place = 0; place < PLACES; place++) {
        int to = place * (STEP / PLACES);
        MemorySegment.copy(memory, LONG, at + place * part, copy, to, STEP / PLACES);
      }
      if (!isZero(copy, STEP)) {
        return false;
      }
    }
    long end = offset + length;
    for (long at = offset + PLACES * part; at < end; at += STEP * Long.BYTES) {
      int longs = (int) Math.min(STEP, (end - at) / Long.BYTES);
      MemorySegment.copy(memory, LONG, at, copy, 0, longs);
      if (!isZero(copy, longs)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero(long[] longs, int count) {
    long first = 0;
    long second = 0;
    long third = 0;
    long fourth = 0;
    for (int i = 0; i < count; i += LINE) {
      first |= longs[i] | longs[i + 4];
      second |= longs[i + 1] | longs[i + 5];
      third |= longs[i + 2] | longs[i + 6];
      fourth |= longs[i + 3] | longs[i + 7];
    }
    return (first | second | third | fourth) == 0;
  }
}
