// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.wridscope.qmp.QmpAddress;

/**
 * The settings of a migration by QEMU's own engine, which this process starts, steers and watches
 * through QMP. What is set in a QEMU is put back when its migration has ended.
 *
 * @param source the QMP socket of the QEMU whose guest is migrated; null if another program starts
 *     the source
 * @param destination the QMP socket of the QEMU that waits for the guest; null if it listens at the
 *     URI already
 * @param uri where the destination listens
 * @param capabilities names of migration capabilities and whether they are to be on; those that a
 *     QEMU does not have are left out there if they are to be off, and refused if they are to be on
 * @param bandwidthLimit bytes per second, 0 for none
 * @param downtimeLimit 1 ms to 2000 s
 * @param startGuest whether the guest is started at the destination, if it ran at the source and
 *     the destination leaves it paused because it was started with {@code -S}
 * @param monitored whether events and history are kept
 */
public record QemuMigrationSettings(
    @Nullable QmpAddress source,
    @Nullable QmpAddress destination,
    QemuUri uri,
    Map<String, Boolean> capabilities,
    long bandwidthLimit,
    Duration downtimeLimit,
    boolean startGuest,
    boolean monitored) {
  /** Registers all RAM at the beginning; must be the same at both ends. */
  public static final String PIN_ALL = "rdma-pin-all";

  /** Stops the guest and waits for permission before the switch-over. */
  public static final String PAUSE = "pause-before-switchover";

  /** Slows the guest's processors down until the migration converges. */
  public static final String AUTO_CONVERGE = "auto-converge";

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
    capabilities = Map.copyOf(new TreeMap<>(capabilities));
  }
}
