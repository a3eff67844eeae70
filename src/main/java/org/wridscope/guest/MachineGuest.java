// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.List;
import java.util.Optional;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.RamDigester;

/**
 * A guest whose machine is in this process: it can run, and its state outside RAM is that of its
 * devices. Its threads access only its memory, the dirty log and the state of its devices.
 */
public non-sealed interface MachineGuest extends Guest {

  /** The machine type in the configuration section of the migration stream. */
  String machineType();

  /** Records which pages are written. */
  DirtyLog dirtyLog();

  /**
   * The devices, in the order in which their state is migrated; the same list every time. A guest
   * that has not run can load the state of each, in this order and after its RAM.
   */
  List<GuestDevice> devices();

  /** Through which it is paused and started, by everybody. */
  RunControl runControl();

  /**
   * Pauses the guest; for its {@link #runControl}, on any thread. Once this returns, none of its
   * threads writes to memory, and every write is in the dirty log. Does nothing when it is not
   * running.
   */
  void pause();

  /**
   * Starts the guest, or continues after a pause; for its {@link #runControl}, on any thread. Does
   * nothing when it is running.
   */
  void resume();

  /**
   * Sets who is told which RAM the guest does not need for now, for example because of a balloon.
   */
  default void setMemoryHints(MemoryHints hints) {}

  /**
   * To be called before RAM is registered, which may give it memory.
   *
   * @throws GuestException if there is no room for so many bytes
   */
  default void take(long bytes) throws GuestException {}

  /** A snapshot of its virtio devices, if it has any; for any thread. */
  default Optional<VirtioSnapshot> virtio() {
    return Optional.empty();
  }

  /**
   * {@inheritDoc} The guest must be paused now, and may be resumed while the digest is computed:
   * each chunk is then digested before the guest writes to it.
   */
  @Override
  RamDigester beginDigest();
}
