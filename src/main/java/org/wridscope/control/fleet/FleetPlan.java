// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.time.Duration;
import java.util.UUID;
import org.wridscope.control.MigrationSettings;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;

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
    if (!MigrationSettings.isDowntimeLimit(downtimeLimit)) {
      throw new IllegalArgumentException("Downtime limit: choose 1 ms to 2000 s.");
    }
  }

  /** Where QEMU migrates to, or how libvirt is left to choose it; {@code UriHost} reads both. */
  String uri() {
    return how.uri().isEmpty() ? "tcp, to " + destination : how.uri();
  }
}
