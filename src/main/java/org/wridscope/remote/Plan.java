// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.MigrationSettings;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Setting;

/** What clients set before a migration begins. Thread-safe. */
final class Plan {
  private final Map<Setting<?>, Object> set = new LinkedHashMap<>();

  synchronized <T> void set(Setting<T> setting, T value) {
    set.put(setting, value);
  }

  /** What clients have set; null if nothing. */
  @SuppressWarnings("unchecked") // as set() has put it
  synchronized <T> @Nullable T get(Setting<T> setting) {
    return (T) set.get(setting);
  }

  /** The settings of a command line or of a dialog, with what clients have changed. */
  synchronized MigrationSettings applyTo(MigrationSettings settings) {
    MigrationSettings changed = settings;
    for (Setting<?> each : set.keySet()) {
      changed = changed(changed, each);
    }
    // A client cannot know that the guest's RAM is to be unregistered.
    return changed.get(MigrationSetting.UNREGISTER)
        ? changed.with(MigrationSetting.PIN_ALL, false)
        : changed;
  }

  private <T> MigrationSettings changed(MigrationSettings settings, Setting<T> setting) {
    T value = get(setting);
    return value == null ? settings : settings.with(setting, value);
  }
}
