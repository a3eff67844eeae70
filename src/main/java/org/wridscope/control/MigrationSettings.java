// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import org.wridscope.settings.Group;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

/**
 * What is sent, and how.
 *
 * @param guest the guest to migrate
 * @param settings how; what they say of a synthetic guest is left out, because the guest says it
 */
public record MigrationSettings(GuestSettings guest, Settings settings) {

  public MigrationSettings {
    settings = settings.only(setting -> setting.group() != Group.GUEST);
  }

  /** With the usual settings. */
  public MigrationSettings(GuestSettings guest) {
    this(guest, Settings.USUAL);
  }

  public <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  /** A copy with another value of a setting. */
  public <T> MigrationSettings with(Setting<T> setting, T value) {
    return new MigrationSettings(guest, settings.with(setting, value));
  }

  /** A copy with another guest. */
  MigrationSettings with(GuestSettings other) {
    return new MigrationSettings(other, settings);
  }
}
