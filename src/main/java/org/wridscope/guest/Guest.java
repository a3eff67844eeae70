// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
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

  /**
   * Backs the RAM of a guest that is awaited with memory, which may take long, so that it need not
   * be done while the guest arrives. Its content stays. Nothing else depends on it.
   *
   * @param ready receives the bytes that were backed, piece by piece, from several threads; an
   *     exception of it ends the work
   * @throws GuestException when there is not enough memory, or the thread was interrupted
   */
  default void prepare(LongConsumer ready) throws GuestException {}

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
