// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.fleet;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.control.fleet.FleetMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;
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
    Metrics metrics = session.telemetry().metrics();
    MigrationStatus status = session.status();
    Wait waits = session.telemetry().waitingFor();
    long total = metrics.get(Metric.RAM_TOTAL);
    long left = metrics.get(Metric.RAM_REMAINING);
    boolean done = status == MigrationStatus.COMPLETED;
    return new MigrationRow(
        migration,
        migration.plan().name(),
        place(migration.plan().source()),
        place(migration.plan().destination()),
        status,
        state(status),
        done ? 1 : total == 0 ? 0 : Math.clamp((double) (total - left) / total, 0, 1),
        total == 0 ? "" : Long.toString(metrics.get(Metric.DIRTY_SYNC_COUNT)),
        total == 0 || status.isEnd() ? "" : Format.bytes(left),
        downtime(metrics, status),
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

  private static String downtime(Metrics metrics, MigrationStatus status) {
    long nanos = metrics.get(status.isEnd() ? Metric.DOWNTIME : Metric.EXPECTED_DOWNTIME);
    if (nanos < TimeUnit.MILLISECONDS.toNanos(1)) {
      return "";
    }
    return status.isEnd()
        ? Format.duration(nanos)
        : "%s expected".formatted(Format.duration(nanos));
  }

  private static String outcome(@Nullable String outcome, @Nullable Wait waits) {
    return outcome != null ? outcome : waits == null ? "" : "waits for %s".formatted(waits.text());
  }
}
