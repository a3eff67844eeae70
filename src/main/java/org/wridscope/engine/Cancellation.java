// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;
import org.wridscope.telemetry.Format;

/** A session's mailbox for the one command that ends it, and its overall deadline. */
final class Cancellation {
  private final Duration timeout;
  private long deadline;
  private boolean limited;
  private volatile boolean requested;
  private volatile boolean closed;

  /**
   * @param timeout after which a migration is given up, zero for never
   */
  Cancellation(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * The migration begins, and with it the time that it may take; for the session's own thread, as
   * {@link #check} is.
   *
   * @param nanos {@link System#nanoTime()}
   */
  void begin(long nanos) {
    limited = timeout.isPositive();
    deadline = nanos + timeout.toNanos();
  }

  /** Asks the session to give up; from any thread. */
  void request() {
    requested = true;
  }

  /** From now on nothing is given up any more: the switch-over was decided. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * @throws CancelledException when the session is to give up
   * @throws MigrationException when it took too long
   */
  void check() throws MigrationException {
    if (closed) {
      return;
    }
    if (requested) {
      throw new CancelledException();
    }
    if (limited && System.nanoTime() - deadline > 0) {
      throw new MigrationException(
          "The migration did not complete within %s. Give it more time, a higher downtime limit or more bandwidth, or let the guest write less."
              .formatted(Format.exactDuration(timeout.toNanos())));
    }
  }
}
