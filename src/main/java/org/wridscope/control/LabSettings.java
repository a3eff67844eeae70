// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Setting;

/**
 * A migration with both ends in this process, on the embedded software device.
 *
 * @param migration settings of both ends; an {@linkplain GuestSettings.Image image} has both file
 *     and out
 * @param destinationGuest the guest of the destination
 */
public record LabSettings(MigrationSettings migration, GuestSettings destinationGuest) {

  /** A lab whose ends have the same settings of the guest. */
  public LabSettings(MigrationSettings migration) {
    this(migration, migration.guest());
  }

  public GuestSettings guest() {
    return migration.guest();
  }

  public <T> T get(Setting<T> setting) {
    return migration.get(setting);
  }

  /** A copy with another value of a setting. */
  public <T> LabSettings with(Setting<T> setting, T value) {
    return new LabSettings(migration.with(setting, value), destinationGuest);
  }

  /** A copy of which neither events nor history are kept. */
  public LabSettings unmonitored() {
    return with(MigrationSetting.MONITORED, false);
  }

  /** A copy with another guest at the destination. */
  public LabSettings withDestination(GuestSettings other) {
    return new LabSettings(migration, other);
  }

  /** A copy with another guest, at both ends. */
  public LabSettings with(GuestSettings other) {
    return new LabSettings(migration.with(other));
  }
}
