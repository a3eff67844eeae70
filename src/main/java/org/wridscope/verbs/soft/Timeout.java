// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;

/** Durations as the waiting methods of the JDK want them. */
final class Timeout {
  /** Longer waits than this (146 years) are cut to it, so that adding a clock cannot overflow. */
  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

  private Timeout() {}

  /** Nanoseconds, 0 for a negative duration. */
  static long nanos(Duration timeout) {
    if (timeout.isNegative()) {
      return 0;
    }
    return timeout.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : timeout.toNanos();
  }
}
