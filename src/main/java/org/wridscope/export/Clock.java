// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Recorded;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;

/**
 * Converts moments of {@link System#nanoTime()} for files.
 *
 * @param originNanos the moment at which seconds start
 * @param originUtc the wall-clock time of that moment; null when it is not known
 */
record Clock(long originNanos, @Nullable Instant originUtc) {

  /** The clock of a migration, which starts at its beginning. */
  static Clock of(SessionPair ends) {
    Session leading = ends.leading();
    long origin = leading.originNanos();
    Recorded recorded = leading.recorded().orElse(null);
    if (recorded != null) {
      return new Clock(origin, recorded.isTimed() ? recorded.wallClock(origin) : null);
    }
    // A run under a schedule has a time of its own.
    return new Clock(
        origin, leading.isLive() ? Instant.now().minusNanos(System.nanoTime() - origin) : null);
  }

  /** Seconds since the beginning, exactly; negative before it. */
  BigDecimal seconds(long nanos) {
    return BigDecimal.valueOf(nanos - originNanos, 9);
  }

  /** The wall-clock time, in ISO 8601 with microseconds; null when it is not known. */
  @Nullable String utc(long nanos) {
    Instant origin = originUtc;
    return origin == null
        ? null
        : origin
            .plus(Duration.ofNanos(nanos - originNanos))
            .truncatedTo(ChronoUnit.MICROS)
            .toString();
  }

  /** A duration in microseconds, exactly. */
  static BigDecimal micros(long nanos) {
    return BigDecimal.valueOf(nanos, 3);
  }
}
