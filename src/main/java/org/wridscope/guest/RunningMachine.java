// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.stream.Checkpoint;
import org.wridscope.stream.StreamEnvelope;

/**
 * A machine in another process, whose guest a source takes while it runs. This process shares its
 * RAM, or has a copy that follows it.
 *
 * <p>A source calls {@link #attach}, {@link #track}, {@link #collect} in each round, {@link #stop},
 * {@link #collect} once more, {@link #rest}, and {@link #handOver} before the destination may start
 * the guest; after a failure {@link #giveBack} instead of what is left. If this process dies before
 * {@link #handOver} has returned, the guest continues by itself.
 */
public non-sealed interface RunningMachine extends Guest {

  /**
   * Shares the RAM, selects how its writes are found, and asks the machine for the beginning of its
   * migration stream. To be called first, and again after {@link #giveBack} for another attempt;
   * {@link #ramBlocks} is known from then on.
   *
   * @throws GuestException if the guest cannot be taken; the message says why, and what would make
   *     it possible
   */
  void attach(Checkpoint checkpoint) throws IOException;

  /** What surrounds the RAM in its migration stream. */
  StreamEnvelope envelope();

  /** Begins to note which pages are written. Every page counts as written before. */
  void track() throws IOException;

  /**
   * Adds the pages written since the last call, or since {@link #track}. A page that is written
   * while this runs is added now or by the next call.
   *
   * @param into a bitmap for each RAM block
   */
  void collect(List<DirtyBitmap> into) throws IOException;

  /** Stops to note writes, and releases what was needed for it. Idempotent. */
  void endTracking();

  /**
   * Stops the guest and takes the states of its devices. RAM does not change after this; {@link
   * #collect} then adds what is left.
   *
   * @param stopped called once, on any thread, when the guest stands still
   */
  void stop(Runnable stopped, Checkpoint checkpoint) throws IOException;

  /** What follows the RAM in its migration stream; after {@link #stop}. */
  byte[] rest();

  /**
   * Notes that the destination will be told to start the guest, and where it can be asked whether
   * it did. When this has returned, the guest does not continue by itself.
   *
   * @throws IOException if that is not certain; the destination must not be told then
   */
  void handOver(Handover handover) throws IOException;

  /**
   * Notes that the destination has the guest, so that it need not be asked after the end of this
   * process. Only notes it: {@link #release} follows. Idempotent.
   */
  void handedOver();

  /**
   * Restores the machine as it was before {@link #attach}; a guest that ran runs again. Idempotent.
   *
   * @throws IOException if it does not run although it should; the message says what to do
   */
  void giveBack() throws IOException;

  /**
   * Restores the machine's settings after the guest was handed over; the guest stays paused.
   * Idempotent.
   *
   * @param known whether it is known that the destination has it; may become true in a later call
   */
  void release(boolean known);

  /**
   * Takes back a guest after {@link #release}, since it is known that it runs nowhere else; one
   * that ran runs again.
   *
   * @return whether it runs
   * @throws IOException if it does not run although it should, or the machine has ended; one
   *     sentence
   */
  boolean reclaim() throws IOException;

  /**
   * Ends the machine after {@link #release}, since its guest runs at the destination.
   *
   * @throws IOException if it does not end, or its guest was continued; one sentence
   */
  void dismiss() throws IOException;

  /** Whether {@link #attach} has found out what the guest does; until then that is not known. */
  boolean isReached();

  /** Whether the guest ran when it was attached. */
  boolean wasRunning();

  /** The machine for a sentence, for example {@code QEMU 4711}. */
  String machine();

  /** How writes are found, and what that cost; for any thread. Empty before {@link #track}. */
  default Optional<Tracking> tracking() {
    return Optional.empty();
  }
}
