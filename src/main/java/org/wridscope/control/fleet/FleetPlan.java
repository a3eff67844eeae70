// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.UUID;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;

/**
 * A migration that libvirt is to make.
 *
 * @param name of the domain
 * @param downtimeLimit at least 1 ms
 */
public record FleetPlan(
    VirtUri source,
    VirtUri destination,
    UUID domain,
    String name,
    VirtMigration how,
    Duration downtimeLimit) {

  /**
   * @throws IllegalArgumentException with one sentence for the user
   */
  public FleetPlan {
    if (source.equals(destination)) {
      throw new IllegalArgumentException(
          "Source and destination are the same host; a domain cannot migrate to where it is.");
    }
    if (!MigrationSetting.isDowntimeLimit(downtimeLimit)) {
      throw new IllegalArgumentException("Downtime limit: choose 1 ms to 2000 s.");
    }
  }

  /**
   * How settings say that a domain is migrated.
   *
   * @param uri as for {@link VirtMigration}
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static VirtMigration how(String uri, Settings settings) {
    return new VirtMigration(
        uri,
        settings.get(MigrationSetting.PIN_ALL),
        settings.get(ManagedSetting.CONNECTIONS),
        settings.get(MigrationSetting.BANDWIDTH),
        settings.get(ManagedSetting.AUTO_CONVERGE),
        !settings.get(ManagedSetting.KEEP_DEFINITION),
        settings.get(ManagedSetting.UNSAFE));
  }

  /** Where QEMU migrates to, or how libvirt is left to choose it; {@code UriHost} reads both. */
  String uri() {
    return how.uri().isEmpty() ? "tcp, to " + destination : how.uri();
  }
}
