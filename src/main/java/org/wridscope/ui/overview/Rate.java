// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayDeque;

/** How fast a counter grows, over the last second. */
final class Rate {
  private static final long WINDOW_NANOS = 1_000_000_000;

  private record Sample(long nanos, long value) {}

  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  void clear() {
    samples.clear();
  }

  void sample(long nanos, long value) {
    samples.addLast(new Sample(nanos, value));
    while (samples.size() > 2 && nanos - samples.peekFirst().nanos > WINDOW_NANOS) {
      samples.removeFirst();
    }
  }

  /** Growth per second, 0 while unknown. */
  double perSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    return last.nanos == first.nanos
        ? 0
        : Math.max(0, last.value - first.value) * 1e9 / (last.nanos - first.nanos);
  }
}
