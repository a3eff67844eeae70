// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import org.wridscope.telemetry.SessionOutcome.Origin;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.text.Format;
import org.wridscope.time.Time;

/** The user's request to cancel a session, and the session's overall deadline. */
final class Cancellation {
  private final Duration timeout;
  private long deadline;
  private boolean limited;
  private volatile boolean requested;
  private volatile boolean closed;

  /**
   * @param timeout after which the migration fails, zero for none
   */
  Cancellation(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * Notes that the migration begins, from which the deadline counts. Only the session's own thread
   * calls this and {@link #check}.
   *
   * @param nanos {@link System#nanoTime()}
   */
  void begin(long nanos) {
    limited = timeout.isPositive();
    deadline = nanos + timeout.toNanos();
  }

  /** The migration did not begin after all: there is no deadline until another one begins. */
  void beginNot() {
    limited = false;
  }

  /** The deadline stands still until {@link #resume}; for the session's own thread. */
  void suspend(long nanos) {
    limited = false;
    deadline -= nanos;
  }

  /** The deadline moves on; for the session's own thread. */
  void resume(long nanos) {
    limited = timeout.isPositive();
    deadline += nanos;
  }

  /** Requests a cancel; from any thread. */
  void request() {
    requested = true;
  }

  /** The switch-over has been decided: from now on, {@link #check} does nothing. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Checks for a cancel and the deadline.
   *
   * @throws CancelledException if a cancel was requested
   * @throws StrangerException if the deadline has passed
   */
  void check() throws MigrationException {
    if (closed) {
      return;
    }
    if (requested) {
      throw new CancelledException();
    }
    if (limited && Time.nanos() - deadline > 0) {
      throw new StrangerException(
          Reason.SILENT,
          "The migration did not complete within %s. Allow more time, a longer downtime or more bandwidth, or let the guest write less."
              .formatted(Format.duration(timeout.toNanos())),
          Origin.LIMIT);
    }
  }
}
