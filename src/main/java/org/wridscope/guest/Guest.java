// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * A guest that can be migrated. Its methods are called by one thread, the owner's; its own threads
 * touch nothing but its memory, the dirty log and what its devices know.
 */
public interface Guest extends AutoCloseable {

  /** The machine type, as the migration stream's configuration section names it. */
  String machineType();

  /** The RAM blocks, in the order in which they are migrated; the same list every time. */
  List<RamBlock> ramBlocks();

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

  boolean isRunning();

  /** What its virtio devices do, if it has any; for any thread. */
  default Optional<VirtioSnapshot> virtio() {
    return Optional.empty();
  }

  /**
   * Begins a digest of the RAM as it is now; the guest must stand still. It may be resumed while
   * the digest is being computed: it then has each chunk digested before it writes to it.
   */
  RamDigester beginDigest();

  /**
   * Makes durable what has to be; called at a destination once everything has arrived and, where
   * that can be known, was found equal.
   */
  default void commit() throws IOException {}

  /** Stops the guest's threads and releases its memory. */
  @Override
  void close();
}
