// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import org.wridscope.memory.RamDigester;

/**
 * A guest whose machine is here: it can run, and all its state outside RAM is that of one device.
 * Its own threads touch nothing but its memory and the dirty log.
 */
public non-sealed interface MachineGuest extends Guest {

  /** The machine type, as the migration stream's configuration section names it. */
  String machineType();

  /** Which pages were written since they were last asked for. */
  DirtyLog dirtyLog();

  /** Name of the device section that carries {@link #saveDeviceState()}. */
  String deviceName();

  /**
   * Stops the guest. Once this returns none of its threads writes to memory, and every write is in
   * the dirty log. Harmless when it is not running.
   */
  void pause();

  /** Starts the guest, or goes on where it stood still. Harmless when it is running. */
  void resume();

  /** All state outside RAM that the guest needs to go on elsewhere. The guest must stand still. */
  byte[] saveDeviceState();

  /**
   * Takes over state that another guest saved. The guest must not have run yet.
   *
   * @throws IllegalArgumentException when the bytes are no such state; says which field is wrong
   */
  void loadDeviceState(byte[] state);

  /**
   * {@inheritDoc} It must stand still now, and may be resumed while the digest is being computed:
   * it then has each chunk digested before it writes to it.
   */
  @Override
  RamDigester beginDigest();
}
