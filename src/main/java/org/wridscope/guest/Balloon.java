// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.wridscope.memory.RamBlock;

/**
 * The effect of a memory balloon on the RAM at the beginning of {@code pc.ram}, as a function of
 * the number of its steps. In a first pass it takes each unit of its range from the guest, and the
 * unit is cleared; in a second pass it gives each unit back, and the guest writes to each page of
 * it; and so on. So the number of steps tells for each unit whether it was changed, and by which
 * step last.
 *
 * @param units of {@link #UNIT} bytes
 * @param seed of the values that the guest writes
 */
record Balloon(long units, long seed) {
  /** Bytes that a step takes or gives back: a chunk, the smallest registration. */
  static final long UNIT = 1 << 20;

  /** Steps a second. */
  static final double RATE = 100;

  private static final int UNIT_PAGES = (int) (UNIT >> RamBlock.PAGE_SHIFT);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  Balloon(SyntheticGuestConfig config) {
    this(config.balloonBytes() / UNIT, BootContent.mix(~config.seed()));
  }

  long pages() {
    return units * UNIT_PAGES;
  }

  /** The index of the unit that a step takes or gives back. */
  long unitOf(long step) {
    return step % units;
  }

  /** Whether a step takes its unit from the guest. */
  boolean takes(long step) {
    return step % (2 * units) < units;
  }

  /** Applies a step to the RAM. */
  void write(MemorySegment ram, long step) {
    long begin = unitOf(step) * UNIT;
    MemorySegment unit = ram.asSlice(begin, UNIT);
    if (takes(step)) {
      unit.fill((byte) 0);
      return;
    }
    for (int page = 0; page < UNIT_PAGES; page++) {
      unit.set(LONG, (long) page << RamBlock.PAGE_SHIFT, stamp(step, page));
    }
  }

  /**
   * Applies all steps to a copy of a page.
   *
   * @param words content of the page at boot
   * @param steps number of steps
   */
  void replay(long page, long steps, long[] words) {
    long unit = page / UNIT_PAGES;
    if (unit >= units || steps <= unit) {
      return;
    }
    long last = unit + (steps - 1 - unit) / units * units;
    Arrays.fill(words, 0);
    if (!takes(last)) {
      words[0] = stamp(last, (int) (page % UNIT_PAGES));
    }
  }

  /** Never zero. */
  private long stamp(long step, int page) {
    return BootContent.mix(seed + step * UNIT_PAGES + page) | 1;
  }
}
