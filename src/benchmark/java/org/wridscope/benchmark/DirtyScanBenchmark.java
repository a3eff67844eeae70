// SPDX-License-Identifier: Apache-2.0
package org.wridscope.benchmark;

import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.wridscope.memory.DirtyBitmap;

/** Finding the runs of dirty pages in a guest of 16 GiB, against a copy of the bitmap. */
@State(Scope.Thread)
public class DirtyScanBenchmark {
  private static final long PAGES = 16L << 18;
  private static final int RUNS = 2000;

  private final DirtyBitmap bitmap = new DirtyBitmap(PAGES);
  private final long[] from = new long[bitmap.wordCount()];
  private final long[] to = new long[bitmap.wordCount()];

  /** Runs of 16 pages at random places. */
  public DirtyScanBenchmark() {
    var random = new SplittableRandom(9);
    for (int i = 0; i < RUNS; i++) {
      long first = random.nextLong(PAGES - 16);
      for (long page = first; page < first + 16; page++) {
        bitmap.set(page);
      }
    }
  }

  @Benchmark
  public long measured() {
    long dirty = 0;
    for (long first = bitmap.nextSet(0); first < PAGES; ) {
      long end = bitmap.nextClear(first);
      dirty += end - first;
      first = bitmap.nextSet(end);
    }
    return dirty;
  }

  @Benchmark
  public long[] limit() {
    System.arraycopy(from, 0, to, 0, from.length);
    return to;
  }
}
