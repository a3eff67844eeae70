// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.wridscope.control.Session;
import org.wridscope.figures.Estimate;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Reports once that a migration does not converge: without a timeout it may never end. */
final class ConvergenceNotice {
  /** Not reported earlier than this after the beginning of the first round. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Not reported before this number of rounds, because the first round may just be slow. */
  private static final long ROUNDS = 5;

  private final LongSupplier clock;
  private final Session session;
  private long activeSince;
  private boolean active;
  private boolean reported;

  /**
   * @param clock nanoseconds, as {@link System#nanoTime()} has them
   */
  ConvergenceNotice(LongSupplier clock, Session session) {
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
    Reading reading = session.reading();
    if (reported
        || !active
        || now - activeSince < PATIENCE_NANOS
        || Figure.ROUNDS.in(reading).orElse(0) < ROUNDS) {
      return Optional.empty();
    }
    String after =
        "%s and %s rounds"
            .formatted(Format.duration(now - activeSince), Figure.ROUNDS.text(reading));
    if (session.role() == Role.DESTINATION) {
      reported = true;
      return Optional.of(
          "After %s the source still sends RAM that its guest has dirtied again; check there whether the migration converges."
              .formatted(after));
    }
    if (Estimate.of(reading, 0).outlook() != Estimate.Outlook.DOES_NOT_CONVERGE) {
      return Optional.empty();
    }
    reported = true;
    return Optional.of(
        "The migration has not converged after %s: the guest dirties %s, the source sends %s, and the downtime would be %s. Allow a higher --downtime-limit or more --bandwidth, reduce the guest's writes, or cancel."
            .formatted(
                after,
                Figure.DIRTY_RATE.text(reading),
                Figure.BANDWIDTH.text(reading),
                Figure.EXPECTED_DOWNTIME.text(reading)));
  }
}
