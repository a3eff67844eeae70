// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;

/** Reports once that a migration does not converge: without a timeout it may never end. */
final class ConvergenceNotice {
  /** Not reported earlier than this after the beginning of the first round. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Not reported before this number of rounds, because the first round may just be slow. */
  private static final long ROUNDS = 5;

  private final LongSupplier clock;
  private final SessionTelemetry session;
  private long activeSince;
  private boolean active;
  private boolean reported;

  /**
   * @param clock nanoseconds, as {@link System#nanoTime()} has them
   */
  ConvergenceNotice(LongSupplier clock, SessionTelemetry session) {
    this.clock = clock;
    this.session = session;
  }

  /** The sentence to show now, if any. To be called repeatedly. */
  Optional<String> next() {
    long now = clock.getAsLong();
    if (session.status() != MigrationStatus.ACTIVE) {
      active = false;
    } else if (!active) {
      active = true;
      activeSince = now;
    }
    if (reported
        || !active
        || now - activeSince < PATIENCE_NANOS
        || get(Metric.DIRTY_SYNC_COUNT) < ROUNDS) {
      return Optional.empty();
    }
    if (session.role() == Role.DESTINATION) {
      reported = true;
      return Optional.of(
          "After %s and %s rounds the source still sends RAM that its guest has dirtied again; check there whether the migration converges."
              .formatted(Format.duration(now - activeSince), rounds()));
    }
    if (get(Metric.EXPECTED_DOWNTIME) <= get(Metric.DOWNTIME_LIMIT)) {
      return Optional.empty();
    }
    reported = true;
    return Optional.of(
        "The migration has not converged after %s and %s rounds: the guest dirties %s, the source sends %s, and the downtime would be %s. Allow a higher --downtime-limit or more --bandwidth, reduce the guest's writes, or cancel."
            .formatted(
                Format.duration(now - activeSince),
                rounds(),
                Format.rate(get(Metric.DIRTY_BYTES_RATE)),
                Format.rate(get(Metric.BANDWIDTH)),
                Format.duration(get(Metric.EXPECTED_DOWNTIME))));
  }

  private String rounds() {
    return Format.count(get(Metric.DIRTY_SYNC_COUNT));
  }

  private long get(Metric metric) {
    return session.metrics().get(metric);
  }
}
