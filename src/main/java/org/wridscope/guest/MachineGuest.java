// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.List;
import java.util.Optional;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.RamDigester;

/**
 * A guest whose machine is here: it can run, and all its state outside RAM is that of its devices.
 * Its own threads touch nothing but its memory, the dirty log and what its devices know.
 */
public non-sealed interface MachineGuest extends Guest {

  /** The machine type, as the migration stream's configuration section names it. */
  String machineType();

  /** Which pages were written since they were last asked for. */
  DirtyLog dirtyLog();

  /**
   * The devices, in the order in which their state is migrated; the same list every time. A guest
   * that has not run takes over the state of each, in this order and after its RAM.
   */
  List<GuestDevice> devices();

  /**
   * Stops the guest. Once this returns none of its threads writes to memory, and every write is in
   * the dirty log. Harmless when it is not running.
   */
  void pause();

  /** Starts the guest, or goes on where it stood still. Harmless when it is running. */
  void resume();

  /**
   * From now on says to {@code hints} which of its RAM it does not need for now, if it ever gives
   * any back.
   */
  default void setMemoryHints(MemoryHints hints) {}

  /** What its virtio devices do, if it has any; for any thread. */
  default Optional<VirtioSnapshot> virtio() {
    return Optional.empty();
  }

  /**
   * {@inheritDoc} It must stand still now, and may be resumed while the digest is being computed:
   * it then has each chunk digested before it writes to it.
   */
  @Override
  RamDigester beginDigest();
}
