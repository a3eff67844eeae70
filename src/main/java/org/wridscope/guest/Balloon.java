// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.wridscope.memory.RamBlock;

/**
 * What a memory balloon does to the RAM at the beginning of {@code pc.ram}, as a function of how
 * many steps it has done. It goes through its range unit by unit and takes each from the guest,
 * which clears it; then once more, and gives each back to the guest, which writes to each of its
 * pages; and so on. So the number of steps says for each unit whether it was touched, and which
 * step did so last.
 *
 * @param units of {@link #UNIT} bytes
 * @param seed of what the guest writes
 */
record Balloon(long units, long seed) {
  /** Bytes that a step takes or gives back: what the migration registers at least. */
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

  /** Which unit a step is about; it begins at as many times {@link #UNIT}. */
  long unitOf(long step) {
    return step % units;
  }

  /** Whether a step takes its unit from the guest. */
  boolean takes(long step) {
    return step % (2 * units) < units;
  }

  /** Does a step to the RAM of its unit. */
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
   * Does to a page what was done to it by now.
   *
   * @param words what it held at boot
   * @param steps that were done
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
