// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * What is migrated: a guest whose machine is in this process or in another one, or a stopped one in
 * the file of a migration stream. Unless they say so, methods are called by one thread.
 */
public sealed interface Guest extends AutoCloseable
    permits MachineGuest, RunningMachine, WaitingMachine, SavedGuest, CapturedGuest {

  /**
   * The RAM blocks, in the order in which they are migrated. A migration during which they change
   * fails.
   */
  List<RamBlock> ramBlocks();

  boolean isRunning();

  /** Starts a digest of the current content of the RAM. */
  default RamDigester beginDigest() {
    return new RamDigester(ramBlocks());
  }

  /**
   * Makes the guest durable, if it is kept in a file. Called at a destination after everything has
   * arrived and, where that is possible, was verified.
   */
  default void commit() throws IOException {}

  /**
   * After {@link #commit}: a sentence about a file that has another name than requested, because
   * that name was taken meanwhile; otherwise null.
   */
  default @Nullable String displaced() {
    return null;
  }

  /** Ends the guest's threads, and releases its memory and files. */
  @Override
  void close();
}
