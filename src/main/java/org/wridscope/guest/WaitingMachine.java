// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.List;
import org.wridscope.stream.BlockListing;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.StreamEnvelope;

/**
 * A machine in another process that waits for a guest, whose RAM a destination fills.
 *
 * <p>A destination calls {@link #prepare}, {@link #load} when RAM is complete, {@link #append} for
 * what follows it, {@link #finishLoading}, {@link #loaded} before the source is told, and {@link
 * #start}; or {@link #abandon} instead of what is left.
 */
public non-sealed interface WaitingMachine extends Guest {

  /**
   * Shares the RAM of the machine, and allocates memory for the blocks that it does not share. To
   * be called once, and again after {@link #release}; {@link #ramBlocks} is known from then on.
   *
   * @param blocks of the source, in its order
   * @param pinned whether the kernel will pin the RAM for a device that writes to it
   * @throws GuestException if the machine has other RAM than the source, or RAM that cannot be
   *     pinned though it has to be, or no longer waits
   */
  void prepare(List<BlockListing> blocks, boolean pinned) throws IOException;

  /**
   * Undoes {@link #prepare}, complete or not, before {@link #load}: the machine waits for another
   * guest, as it did before.
   *
   * @throws GuestException if it no longer waits, or could not be filled
   */
  void release() throws IOException;

  /** Makes the machine begin to load its guest, and sends it everything up to the RAM's end. */
  void load(StreamEnvelope envelope, Checkpoint checkpoint) throws IOException;

  /** Sends bytes that follow the RAM to the machine. */
  void append(byte[] bytes, int offset, int length) throws IOException;

  /** Whether the description of the machine, which ends a stream, has been appended. */
  boolean isDescribed() throws IOException;

  /** Waits until the machine has loaded everything; its guest does not run yet. */
  void finishLoading(Checkpoint checkpoint) throws IOException;

  /**
   * Notes that the source keeps its guest until it is told that the guest can start, and where it
   * may ask whether it did. After {@link #prepare}.
   *
   * @throws IOException if nothing would put the machine right after the end of this process
   */
  void connected(Handover handover) throws IOException;

  /**
   * Notes that the source will be told that the guest can start. If this process dies after that,
   * the source gets an answer nevertheless.
   */
  void loaded() throws IOException;

  /** Starts the guest; leaves it paused if its state says that it did not run at the source. */
  void start() throws IOException;

  /** Whether RAM is to be compared before the guest starts, which lengthens the downtime. */
  boolean isCompared();

  /** Whether {@link #start} may have started the guest. */
  boolean hasStarted();

  /**
   * Whether it is unknown if {@link #start} has started the guest. A source that asks gets no
   * answer then, and leaves its guest paused.
   */
  boolean isDoubtful();

  /**
   * Gives up. A machine that has loaded something ends, so that the guest can never run at both
   * ends; one that may have started it is left as it is. Idempotent.
   *
   * @param mayBeOnlyGuest whether the source may have handed the guest over, so that a machine that
   *     may have loaded it must not be ended
   * @return a sentence about the machine
   */
  String abandon(boolean mayBeOnlyGuest);

  /**
   * Has the guard answer a source that may ask whether its guest was started, for some time from
   * {@link #close} on.
   */
  void leaveAnswers();

  /** The machine for a sentence, for example {@code QEMU 4711}. */
  String machine();
}
