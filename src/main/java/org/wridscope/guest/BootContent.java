// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.wridscope.memory.RamBlock;

/**
 * The content of a RAM block of a synthetic guest when it boots: a function of seed, page and word.
 * No two nonzero pages are equal.
 *
 * <p>As in a real guest, most zero pages are in extents of whole huge pages, and some are isolated.
 * Takes 1 byte for each MiB of the block.
 */
final class BootContent {
  /** Pages of a huge page of 2 MiB. */
  static final int REGION = 512;

  static final long REGION_BYTES = (long) REGION * RamBlock.PAGE_SIZE;

  /** Words of a page. */
  static final int WORDS = RamBlock.PAGE_SIZE / Long.BYTES;

  /** One of so many zero pages is isolated. */
  private static final int ALONE = 16;

  /** 2^64 divided by the golden ratio, odd. */
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private final long key;
  private final long pages;
  private final short[] zeroPages;

  /**
   * @param block index of the RAM block
   */
  BootContent(long seed, int block, long pages, double zeroShare) {
    key = mix(seed + (block + 1) * GOLDEN);
    this.pages = pages;
    zeroPages = distributeZeroPages(key, pages, zeroShare);
  }

  /** How many pages of each region are zero. */
  private static short[] distributeZeroPages(long key, long pages, double share) {
    int whole = Math.toIntExact(pages / REGION);
    int rest = (int) (pages % REGION);
    short[] distribution = new short[rest == 0 ? whole : whole + 1];
    long left = Math.round(pages * share);
    if (rest != 0) {
      distribution[whole] = (short) Math.round(rest * share);
      left -= distribution[whole];
    }
    long extents = (left - left / ALONE) / REGION;
    int[] order = shuffled(whole, key);
    for (int i = 0; i < whole; i++) {
      long zero = i < extents ? REGION : Math.clamp(Math.ceilDiv(left, whole - i), 0, REGION);
      distribution[order[i]] = (short) zero;
      left -= zero;
    }
    return distribution;
  }

  private static int[] shuffled(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] order = new int[count];
    for (int i = 0; i < count; i++) {
      int j = random.nextInt(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }

  int regions() {
    return zeroPages.length;
  }

  boolean isZero(long page) {
    int region = (int) (page / REGION);
    long size = Math.min(REGION, pages - (long) region * REGION);
    long i = page % REGION;
    // The zero pages of a region are spread evenly over it.
    return (i + 1) * zeroPages[region] / size > i * zeroPages[region] / size;
  }

  /** The content of a page, as {@value #WORDS} words. */
  void page(long page, long[] words) {
    if (isZero(page)) {
      Arrays.fill(words, 0);
    } else {
      nonzero(page, words);
    }
  }

  private void nonzero(long page, long[] words) {
    long x = start(page);
    for (int i = 0; i < WORDS; i++) {
      words[i] = fold(x);
      x += GOLDEN;
    }
  }

  /** Writes the nonzero pages of a region; the others must be zero already. */
  void fill(MemorySegment memory, int region) {
    // An array is many times faster than a segment as long as the code is not compiled by C2.
    long[] words = new long[WORDS];
    long first = (long) region * REGION;
    for (long page = first, end = Math.min(first + REGION, pages); page < end; page++) {
      if (!isZero(page)) {
        nonzero(page, words);
        MemorySegment.copy(
            words, 0, memory, ValueLayout.JAVA_LONG, page << RamBlock.PAGE_SHIFT, WORDS);
      }
    }
  }

  // Different for each page of a block, since every step is a bijection.
  private long start(long page) {
    return mix(key ^ page);
  }

  // A bijection: of the different arguments of a page at most one gives 0.
  private static long fold(long x) {
    return x ^ x >>> 32;
  }

  /** MurmurHash3's 64-bit finalizer, a bijection in which each bit affects all others. */
  static long mix(long x) {
    x = (x ^ x >>> 33) * 0xff51afd7ed558ccdL;
    x = (x ^ x >>> 33) * 0xc4ceb9fe1a85ec53L;
    return x ^ x >>> 33;
  }
}
