// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.fleet.FleetMigration;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Reading;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Legible;

/**
 * What the table says of a migration now.
 *
 * @param progress the share of RAM that is not left to send in this round, 0 to 1
 */
record MigrationRow(
    FleetMigration migration,
    String domain,
    String from,
    String to,
    MigrationStatus status,
    String state,
    double progress,
    String round,
    String remaining,
    String downtime,
    String outcome) {

  static MigrationRow of(FleetMigration migration) {
    Session session = migration.session();
    Reading reading = session.reading();
    MigrationStatus status = session.status();
    Wait waits = session.telemetry().waitingFor();
    boolean begun = Figure.RAM_TOTAL.in(reading).isPresent();
    return new MigrationRow(
        migration,
        migration.plan().name(),
        place(migration.plan().source()),
        place(migration.plan().destination()),
        status,
        state(status),
        reading.arrived().orElse(0),
        begun ? Figure.ROUNDS.text(reading) : "",
        begun && !status.isEnd() ? Figure.RAM_REMAINING.text(reading) : "",
        downtime(reading),
        outcome(session.outcome(), waits));
  }

  private static String place(VirtUri uri) {
    return uri.host().isEmpty() ? uri.toString() : Legible.of(uri.host());
  }

  private static String state(MigrationStatus status) {
    return switch (status) {
      case NONE -> "waits for its turn";
      case SETUP -> "set-up";
      case DEVICE -> "switch-over";
      default -> status.qemuName();
    };
  }

  private static String downtime(Reading reading) {
    boolean ended = reading.status().isEnd();
    Figure figure = ended ? Figure.DOWNTIME : Figure.EXPECTED_DOWNTIME;
    return figure.in(reading).isEmpty()
        ? ""
        : ended ? figure.text(reading) : "%s expected".formatted(figure.text(reading));
  }

  private static String outcome(@Nullable String outcome, @Nullable Wait waits) {
    return outcome != null ? outcome : waits == null ? "" : "waits for %s".formatted(waits.text());
  }
}
