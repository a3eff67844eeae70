// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.wridscope.control.Session;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.SessionPair;

/**
 * Converts moments of {@link System#nanoTime()} for files.
 *
 * @param originNanos the moment at which seconds start
 * @param originUtc the wall-clock time of that moment
 */
record Clock(long originNanos, Instant originUtc) {

  /** The clock of a migration, which starts at its beginning. */
  static Clock of(SessionPair ends) {
    Session leading = ends.leading();
    long origin = leading.originNanos();
    Instant utc =
        leading instanceof RecordedSession recorded
            ? recorded.wallClock(origin)
            : Instant.now().minusNanos(System.nanoTime() - origin);
    return new Clock(origin, utc);
  }

  /** Seconds since the beginning, exactly; negative before it. */
  BigDecimal seconds(long nanos) {
    return BigDecimal.valueOf(nanos - originNanos, 9);
  }

  /** The wall-clock time, in ISO 8601 with microseconds. */
  String utc(long nanos) {
    Instant at = originUtc.plus(Duration.ofNanos(nanos - originNanos));
    return at.truncatedTo(ChronoUnit.MICROS).toString();
  }

  /** A duration in microseconds, exactly. */
  static BigDecimal micros(long nanos) {
    return BigDecimal.valueOf(nanos, 3);
  }
}
