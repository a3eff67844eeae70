// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** The longest times between two successive completions of an end. Not thread-safe. */
final class CompletionGaps {
  private static final int MOST_KEPT = 256;

  /** Shorter ones are usual. */
  private static final long SHORTEST = TimeUnit.MILLISECONDS.toNanos(10);

  private final PriorityQueue<Gap> gaps = new PriorityQueue<>(Comparator.comparingLong(Gap::nanos));
  private boolean begun;
  private long last;

  /** A time without a completion. */
  record Gap(long beginNanos, long endNanos) {
    long nanos() {
      return endNanos - beginNanos;
    }
  }

  /** Adds a completion, not earlier than the one before. */
  void completed(long nanos) {
    if (begun && nanos - last >= SHORTEST) {
      gaps.add(new Gap(last, nanos));
      if (gaps.size() > MOST_KEPT) {
        gaps.remove();
      }
    }
    begun = true;
    last = nanos;
  }

  /** The longest one that lies in a range of time, at least in part. */
  Optional<Gap> longest(long fromNanos, long toNanos) {
    return gaps.stream()
        .filter(gap -> gap.beginNanos < toNanos && gap.endNanos > fromNanos)
        .max(Comparator.comparingLong(Gap::nanos));
  }
}
