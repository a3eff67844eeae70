// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The moment at which a wait ends. */
public final class Timeout {
  /** Longer waits than this (146 years) are cut to it, so that adding a clock cannot overflow. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final long deadline;

  public Timeout(Duration timeout) {
    deadline = System.nanoTime() + nanos(timeout);
  }

  /** Nanoseconds that can be added to a clock, 0 for a negative duration. */
  public static long nanos(Duration timeout) {
    if (timeout.isNegative()) {
      return 0;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
  }

  /** Nanoseconds that are left, 0 when it is over. */
  public long nanos() {
    return Math.max(0, deadline - System.nanoTime());
  }

  /** What is left, rounded up to milliseconds and cut to a limit. */
  public int millis(int limit) {
    long nanos = nanos();
    return nanos >= TimeUnit.MILLISECONDS.toNanos(limit)
        ? limit
        : (int) Math.ceilDiv(nanos, 1_000_000L);
  }
}
