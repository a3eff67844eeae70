// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.time.Duration;
import java.util.Set;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.settings.MigrationSetting;

/** A shipped scenario with a part of its RAM, which takes as much less time. */
public final class SmallScenario {
  private static final int LEAST_PART = 16;

  /** More RAM adds no order of events. */
  private static final long MOST_RAM = 8 << 20;

  /** With enough chunks for any fault that does not name a write. */
  private static final long LEAST_RAM = 4 << 20;

  /** Guests of no more than that stay as they are. */
  private static final long SMALL = 16 << 20;

  /** A guest that never converges shows it within this time; other timeouts are longer. */
  private static final Duration MOST_TIME = Duration.ofSeconds(1);

  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(10);

  /** Their faults come at a write, registration or request that a smaller guest does not have. */
  private static final Set<String> SIZE_MATTERS =
      Set.of(
          "number-reuse",
          "number-reuse-wrong",
          "queue-pair-fatal",
          "registration-limit",
          "retransmission",
          "virtqueue-in-flight",
          "virtqueue-used-index-as-base");

  private SmallScenario() {}

  /** The scenario itself if its guest is small, or its size matters. */
  public static Scenario of(Scenario shipped) {
    if (shipped.ramBytes() <= SMALL || SIZE_MATTERS.contains(shipped.name())) {
      return shipped;
    }
    MigrationSettings migration = shipped.lab().migration();
    long part = Math.max(LEAST_PART, shipped.ramBytes() / MOST_RAM);
    Duration timeout = migration.get(MigrationSetting.TIMEOUT);
    boolean isShort = !timeout.isZero() && timeout.compareTo(SHORT_TIMEOUT) < 0;
    return new Scenario(
        shipped.name(),
        shipped.title(),
        shipped.about(),
        shipped.group(),
        shipped.look(),
        shipped
            .lab()
            .with(part(migration.guest(), part))
            .with(MigrationSetting.TIMEOUT, isShort ? MOST_TIME : timeout),
        part(shipped.destinationGuest(), part),
        shipped.releases(),
        shipped.runs(),
        shipped.seed(),
        shipped.source(),
        shipped.destination(),
        shipped.expected(),
        shipped.expectedShared(),
        shipped.schedule());
  }

  private static GuestSettings part(GuestSettings settings, long part) {
    var guest = (GuestSettings.Synthetic) settings;
    return new GuestSettings.Synthetic(
        Math.max(LEAST_RAM, guest.ramBytes() / part),
        guest.dirtyRate(),
        guest.workingSet() / part,
        guest.zeroShare(),
        guest.seed(),
        guest.virtio(),
        guest.balloonBytes() / part);
  }
}
