// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import org.wridscope.control.MigrationReport;
import org.wridscope.control.Session;
import org.wridscope.telemetry.MigrationStatus;

/**
 * How a session ended.
 *
 * @param running whether its guest runs; it was then observed to complete requests
 * @param ram the result of comparing the RAM of both ends
 * @param outcome the message to the user
 */
record End(MigrationStatus status, boolean running, Ram ram, String outcome) {

  /** The result of comparing digests. */
  enum Ram {
    EQUAL,
    NOT_COMPARED,
    DIFFERENT
  }

  static End of(Session session) throws InterruptedException {
    MigrationReport report = session.report();
    boolean running = session.guestRunning();
    if (running && !Participant.completesRequests(session)) {
      throw new IllegalStateException("a running guest completes no request: " + session.outcome());
    }
    if (report.virtio() != null && report.virtio().finding() != null) {
      throw new IllegalStateException(report.virtio().finding());
    }
    boolean different =
        report.unconfirmed().stream().anyMatch(doubt -> doubt.startsWith("The RAM differs"));
    return new End(
        session.status(),
        running,
        different ? Ram.DIFFERENT : report.verified() ? Ram.EQUAL : Ram.NOT_COMPARED,
        String.valueOf(session.outcome()));
  }

  /** On one line. */
  String line() {
    return "%s %b %s %s".formatted(status, running, ram, outcome);
  }

  static End parse(String line) {
    String[] parts = line.split(" ", 4);
    return new End(
        MigrationStatus.valueOf(parts[0]),
        Boolean.parseBoolean(parts[1]),
        Ram.valueOf(parts[2]),
        parts[3]);
  }
}
