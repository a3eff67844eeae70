// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.wridscope.memory.RamBlock;

/**
 * The writes of a synthetic guest to its RAM, as a function of the number of steps of each writer.
 *
 * <p>The working set is divided into runs of {@value #RUN} pages, and each writer has a range of
 * runs of its own. It writes to one page in each step, visits its runs in a scattered order, and
 * then starts again. So the number of steps determines for each page how often it was written, and
 * by which step last. The page records the same: word {@value #SEQUENCE} is the number of that
 * step, from 1; word {@value #STAMP} a hash of the step, the page and the seed, from which one word
 * in each other cache line written is derived; word {@value #COUNTER} the value at boot, plus one
 * for each write.
 */
final class Workload {
  /** Pages that are written in sequence. */
  static final int RUN = 16;

  static final int SEQUENCE = 0;
  static final int STAMP = 1;
  static final int COUNTER = 2;

  /** Distance in words between those derived from the stamp. */
  static final int TRACE_STRIDE = 64;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private final long seed;
  private final long firstPage;
  private final long pages;
  private final Part[] parts;

  Workload(SyntheticGuestConfig config) {
    seed = BootContent.mix(config.seed());
    pages = pages(config.ramBytes(), config.workingSet());
    firstPage = firstPage(config.ramBytes(), config.workingSet());
    long runs = Math.ceilDiv(pages, RUN);
    int writers = config.writers();
    parts = new Part[writers];
    for (int i = 0; i < writers; i++) {
      long first = runs * i / writers;
      parts[i] = Part.of(first, runs * (i + 1) / writers - first, seed + i);
    }
  }

  private static long pages(long ramBytes, long workingSet) {
    return Math.min(workingSet >> RamBlock.PAGE_SHIFT, freePages(ramBytes));
  }

  /** First page of {@code pc.ram} in a working set of so many bytes. */
  static long firstPage(long ramBytes, long workingSet) {
    return (freePages(ramBytes) - pages(ramBytes, workingSet)) / 2;
  }

  private static long freePages(long ramBytes) {
    return (ramBytes - SyntheticGuestConfig.virtioBytes(ramBytes)) >> RamBlock.PAGE_SHIFT;
  }

  /** First page of {@code pc.ram} in the working set. */
  long firstPage() {
    return firstPage;
  }

  /** Pages of the working set. */
  long pages() {
    return pages;
  }

  /** The writer's share of the working set; the shares of all writers add up to 1. */
  double share(int writer) {
    return (double) parts[writer].runs / Math.ceilDiv(pages, RUN);
  }

  /**
   * The page that a step writes to.
   *
   * @param step from 0
   * @return a page of {@code pc.ram}, or -1 when the step writes nothing, because the last run
   *     exceeds the working set
   */
  long pageOf(int writer, long step) {
    long page = parts[writer].pageOf(step);
    return page < pages ? firstPage + page : -1;
  }

  /** Applies a step of a writer to its page. */
  void write(MemorySegment ram, long page, long step) {
    long at = page << RamBlock.PAGE_SHIFT;
    long stamp = stamp(page, step);
    ram.set(LONG, at, step + 1);
    ram.set(LONG, at + STAMP * Long.BYTES, stamp);
    long counter = at + COUNTER * Long.BYTES;
    ram.set(LONG, counter, ram.get(LONG, counter) + 1);
    for (int word = TRACE_STRIDE; word < BootContent.WORDS; word += TRACE_STRIDE) {
      ram.set(LONG, at + (long) word * Long.BYTES, stamp + word);
    }
  }

  /**
   * Applies the steps of all writers to a copy of a page.
   *
   * @param words content of the page at boot
   * @param steps number of steps of each writer
   */
  void replay(long page, List<Long> steps, long[] words) {
    long inSet = page - firstPage;
    if (inSet < 0 || inSet >= pages) {
      return;
    }
    int writer = writerOf(inSet / RUN);
    Part part = parts[writer];
    long position = part.positionOf(inSet);
    long writes = part.writes(position, steps.get(writer));
    if (writes > 0) {
      long step = (writes - 1) * part.length() + position;
      words[SEQUENCE] = step + 1;
      words[STAMP] = stamp(page, step);
      words[COUNTER] += writes;
      for (int word = TRACE_STRIDE; word < BootContent.WORDS; word += TRACE_STRIDE) {
        words[word] = words[STAMP] + word;
      }
    }
  }

  private int writerOf(long run) {
    int writer = 0;
    while (run >= parts[writer].firstRun + parts[writer].runs) {
      writer++;
    }
    return writer;
  }

  private long stamp(long page, long step) {
    return BootContent.mix(seed ^ page) ^ BootContent.mix(step + 1);
  }

  /**
   * The runs of one writer, and the order in which it visits them: the k-th is {@code (multiplier *
   * k + offset) mod runs}.
   *
   * @param inverse of the multiplier modulo the number of runs
   */
  private record Part(long firstRun, long runs, long multiplier, long inverse, long offset) {

    static Part of(long firstRun, long runs, long seed) {
      if (runs <= 1) {
        return new Part(firstRun, runs, 1, 1, 0);
      }
      // Near the golden section, successive runs are far apart and fill the gaps evenly.
      long multiplier = Math.max(1, (long) (runs * 0.6180339887498949));
      while (gcd(multiplier, runs) != 1) {
        multiplier++;
      }
      return new Part(
          firstRun,
          runs,
          multiplier,
          inverse(multiplier, runs),
          Math.floorMod(BootContent.mix(seed), runs));
    }

    /** Steps in which each page is visited once. */
    long length() {
      return runs * RUN;
    }

    /** Counted from the first page of the working set. */
    long pageOf(long step) {
      long position = step % length();
      long run = (multiplier * (position / RUN) + offset) % runs;
      return (firstRun + run) * RUN + position % RUN;
    }

    /** The first step that writes to a page of this part. */
    long positionOf(long page) {
      long run = page / RUN - firstRun;
      long k = inverse * Math.floorMod(run - offset, runs) % runs;
      return k * RUN + page % RUN;
    }

    /** How often the page at a position was written in so many steps. */
    long writes(long position, long steps) {
      return steps / length() + (position < steps % length() ? 1 : 0);
    }

    private static long gcd(long a, long b) {
      return b == 0 ? a : gcd(b, a % b);
    }

    /** Extended Euclidean algorithm. */
    private static long inverse(long a, long modulus) {
      long r0 = modulus;
      long r1 = a;
      long t0 = 0;
      long t1 = 1;
      while (r1 != 0) {
        long quotient = r0 / r1;
        long r = r0 - quotient * r1;
        r0 = r1;
        r1 = r;
        long t = t0 - quotient * t1;
        t0 = t1;
        t1 = t;
      }
      return Math.floorMod(t0, modulus);
    }
  }
}
