// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** Says once that a migration does not converge, which may go on for ever without a time limit. */
final class ConvergenceNotice {
  /** How long RAM is sent before anything is said. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Rounds that tell more than a slow first one. */
  private static final long ROUNDS = 5;

  private final LongSupplier clock;
  private final SessionTelemetry session;
  private long activeSince;
  private boolean active;
  private boolean said;

  /**
   * @param clock nanoseconds, as {@link System#nanoTime()} has them
   */
  ConvergenceNotice(LongSupplier clock, SessionTelemetry session) {
    this.clock = clock;
    this.session = session;
  }

  /** What is to be said now, a sentence; to be called now and then. */
  Optional<String> next() {
    long now = clock.getAsLong();
    if (session.status() != MigrationStatus.ACTIVE) {
      active = false;
    } else if (!active) {
      active = true;
      activeSince = now;
    }
    if (said
        || !active
        || now - activeSince < PATIENCE_NANOS
        || get(Metric.DIRTY_SYNC_COUNT) < ROUNDS) {
      return Optional.empty();
    }
    if (session.role() == Role.DESTINATION) {
      said = true;
      return Optional.of(
          "After %s and %s rounds the source still sends what its guest has dirtied again; see there whether it converges."
              .formatted(Format.duration(now - activeSince), rounds()));
    }
    if (get(Metric.EXPECTED_DOWNTIME) <= get(Metric.DOWNTIME_LIMIT)) {
      return Optional.empty();
    }
    said = true;
    return Optional.of(
        "The migration has not converged after %s and %s rounds: the guest dirties %s, %s are sent, and the downtime would be %s. Give it a higher --downtime-limit or more --bandwidth, let the guest write less, or cancel."
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
