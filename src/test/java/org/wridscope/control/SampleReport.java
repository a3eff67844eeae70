// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.DowntimePart;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/**
 * A report with fixed numbers that tests look for, except for these.
 *
 * @param destinationDigest null while it is not known at this end
 * @param virtioFinding what became of a request of the virtio devices, a sentence; null when all
 *     are well
 */
record SampleReport(
    boolean verified,
    boolean uncompared,
    @Nullable String destinationDigest,
    @Nullable String virtioFinding) {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  SampleReport withDestinationDigest(String digest) {
    return new SampleReport(verified, uncompared, digest, virtioFinding);
  }

  SampleReport withVirtioFinding(String sentence) {
    return new SampleReport(verified, uncompared, destinationDigest, sentence);
  }

  /** With equal digests. */
  SampleReport asVerified() {
    return new SampleReport(true, false, DIGEST, virtioFinding);
  }

  /** Of a destination that does not digest its RAM. */
  SampleReport asUncompared() {
    return new SampleReport(false, true, null, virtioFinding);
  }

  MigrationReport of(Session session) {
    MigrationStatus status = session.status();
    Metrics metrics = session.telemetry().metrics();
    boolean completed = status == MigrationStatus.COMPLETED;
    return new MigrationReport(
        status.qemuName(),
        metrics.get(Metric.TOTAL_TIME) / 1_000_000,
        completed ? 38L : null,
        completed ? null : 120L,
        13,
        metrics.get(Metric.HELD_TIME) == 0 ? null : metrics.get(Metric.HELD_TIME) / 1_000_000,
        new MigrationReport.Ram(
            4_500_000, 0, 8_388_608, 848, 1200, 4_915_200, 51_200L, 84_210.5, 3, 4096, 2_570_000L),
        completed ? null : session.outcome(),
        session.role() == Role.SOURCE ? "source" : "destination",
        session.uri(),
        session.device(),
        MigrationReport.WRIDSCOPE,
        false,
        verified,
        uncompared,
        verified ? List.of() : List.of("The destination's digests are not known."),
        completed ? Map.of(DowntimePart.LAST_PAGES, 37.0) : Map.of(),
        new MigrationReport.Completions(
            new MigrationReport.Completions.Queue(1234, 1230),
            new MigrationReport.Completions.Queue(40, 40),
            null,
            4,
            0,
            0),
        new MigrationReport.Registrations(0, 8, 9, 8_388_608, 8, 0, 0, 0),
        new MigrationReport.Messages(Map.of("register-request", 8L), Map.of("ready", 11L)),
        new MigrationReport.Digests(
            Map.of("pc.ram", DIGEST),
            destinationDigest == null ? Map.of() : Map.of("pc.ram", destinationDigest)),
        new MigrationReport.Virtio(345, 6, 1, 2, virtioFinding, null),
        session.machine().orElse(null),
        null,
        null,
        0,
        null,
        null);
  }
}
