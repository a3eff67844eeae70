// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The moment at which a wait ends. */
final class Timeout {
  /** Longer waits than this (146 years) are cut to it, so that adding a clock cannot overflow. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final long deadline;

  Timeout(Duration timeout) {
    long nanos =
        timeout.isNegative()
            ? 0
            : timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
    deadline = System.nanoTime() + nanos;
  }

  /** Nanoseconds that are left, 0 when it is over. */
  long nanos() {
    return Math.max(0, deadline - System.nanoTime());
  }

  /** What is left, rounded up to milliseconds and cut to a limit. */
  int millis(int limit) {
    long nanos = nanos();
    return nanos >= TimeUnit.MILLISECONDS.toNanos(limit)
        ? limit
        : (int) Math.ceilDiv(nanos, 1_000_000L);
  }
}
