// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.wridscope.time.Time;

/** The end of a wait. */
public final class Timeout {
  /** The longest wait (146 years), so that adding it to a clock cannot overflow. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private final long deadline;

  public Timeout(Duration timeout) {
    deadline = Time.nanos() + nanos(timeout);
  }

  /** The duration in nanoseconds, cut so that it can be added to a clock; 0 when negative. */
  public static long nanos(Duration timeout) {
    if (timeout.isNegative()) {
      return 0;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
  }

  /** Nanoseconds left, 0 when the time is over. */
  public long nanos() {
    return Math.max(0, deadline - Time.nanos());
  }

  /** Milliseconds left, rounded up, at most the limit. */
  public int millis(int limit) {
    long nanos = nanos();
    return nanos >= TimeUnit.MILLISECONDS.toNanos(limit)
        ? limit
        : (int) Math.ceilDiv(nanos, 1_000_000L);
  }
}
