// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * What is migrated: a guest whose machine is here, or one that stands still in the file of a
 * migration stream. Its methods are called by one thread, the owner's.
 */
public sealed interface Guest extends AutoCloseable
    permits MachineGuest, SavedGuest, CapturedGuest {

  /** The RAM blocks, in the order in which they are migrated; the same list every time. */
  List<RamBlock> ramBlocks();

  boolean isRunning();

  /** Begins a digest of the RAM as it is now. */
  RamDigester beginDigest();

  /**
   * Makes durable what has to be; called at a destination once everything has arrived and, where
   * that can be known, was found equal.
   */
  default void commit() throws IOException {}

  /**
   * After {@link #commit}: one sentence about a file that could not get its name, because another
   * one has it now; null where that is not so.
   */
  default @Nullable String displaced() {
    return null;
  }

  /** Stops the guest's threads, and releases its memory and files. */
  @Override
  void close();
}
