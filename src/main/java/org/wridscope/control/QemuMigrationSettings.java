// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

/**
 * The settings of a migration by QEMU's own engine, which this process starts, steers and watches
 * through QMP. What is set in a QEMU is put back when its migration has ended.
 *
 * @param source the QMP socket of the QEMU whose guest is migrated; null if another program starts
 *     the source
 * @param destination the QMP socket of the QEMU that waits for the guest; null if it listens at the
 *     URI already
 * @param uri where the destination listens
 * @param settings how
 */
public record QemuMigrationSettings(
    @Nullable QmpAddress source, @Nullable QmpAddress destination, QemuUri uri, Settings settings) {
  /** Sends an event at each change of the status and at each round. */
  public static final String EVENTS = "events";

  /**
   * @throws IllegalArgumentException if neither end is named, with one sentence for the user
   */
  public QemuMigrationSettings {
    if (source == null && destination == null) {
      throw new IllegalArgumentException("Choose a QEMU as the source or as the destination.");
    }
    if (source != null && source.equals(destination)) {
      throw new IllegalArgumentException(
          "Source and destination are the same QEMU; a guest cannot migrate to where it is.");
    }
  }

  public <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  /**
   * Names of migration capabilities, and whether they are to be on; those that a QEMU does not have
   * are left out there if they are to be off, and refused if they are to be on. Whether all RAM is
   * registered at the beginning must be the same at both ends.
   */
  public Map<String, Boolean> capabilities() {
    var capabilities = new TreeMap<String, Boolean>();
    if (uri.rdma()) {
      put(capabilities, MigrationSetting.PIN_ALL);
    }
    if (source != null) {
      put(capabilities, MigrationSetting.PAUSE_BEFORE_SWITCHOVER);
      put(capabilities, ManagedSetting.AUTO_CONVERGE);
    }
    return capabilities;
  }

  private void put(Map<String, Boolean> capabilities, Setting<Boolean> setting) {
    capabilities.put(setting.qmp(), get(setting));
  }
}
