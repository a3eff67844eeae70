// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MigrationStatus;

/** A trace event of QEMU, reduced to what a recording can hold. */
sealed interface QemuEvent {

  /**
   * A block of its own RAM.
   *
   * @param offset its start in QEMU's address space of all RAM blocks
   */
  record BlockAdded(String name, long address, long offset, long length) implements QemuEvent {}

  /**
   * A device was opened.
   *
   * @param line as QEMU 7.2 prints it
   */
  record DeviceOpened(String line) implements QemuEvent {}

  /** QEMU tells why the migration fails. */
  record Failed(String why) implements QemuEvent {}

  /** The source knows its own blocks. */
  record BlocksListed() implements QemuEvent {}

  /** The index of a block at the source. */
  record BlockNotified(String name, int index) implements QemuEvent {}

  /** The destination was asked for its blocks. */
  record BlocksAsked() implements QemuEvent {}

  record ControlSent(ControlType type) implements QemuEvent {}

  record ControlReceived(ControlType type) implements QemuEvent {}

  /** A message other than the expected one. */
  record OtherReceived(ControlType type) implements QemuEvent {}

  /** The next completion is that of a READY. */
  record ReadyPolled() implements QemuEvent {}

  /**
   * The completion of a control message.
   *
   * @param wrid as QEMU keeps it, in 16 bits
   */
  record ControlCompleted(long wrid) implements QemuEvent {}

  record WriteCompleted(int block, long chunk) implements QemuEvent {}

  /**
   * A wait polled a completion that it did not expect.
   *
   * @param wanted the type of the wrid that it waited for
   * @param got the type of the wrid that it polled
   */
  record Missed(long wanted, long got) implements QemuEvent {}

  /** The source waits for an earlier write to a chunk before it writes to it again. */
  record WriteAwaited(int block, long chunk) implements QemuEvent {}

  /** The source waits for a completion of a write, because its send queue is full. */
  record RoomAwaited() implements QemuEvent {}

  record WritePosted(long chunk, long address, long remote, int length) implements QemuEvent {}

  /**
   * Zeros that were sent or received as COMPRESS.
   *
   * @param address in QEMU's address space of all RAM blocks
   */
  record Zeros(int block, long address, long bytes) implements QemuEvent {}

  record Registering(long bytes, long address) implements QemuEvent {}

  /**
   * The source requests the key of some memory.
   *
   * @param address in QEMU's address space of all RAM blocks
   */
  record KeyRequested(int block, long address, long bytes) implements QemuEvent {}

  /** The destination sends the key of its newest or an earlier registration. */
  record KeyGiven(int key) implements QemuEvent {}

  /** The source received the key for a chunk of its newest registration. */
  record KeyReceived(int key, long chunk) implements QemuEvent {}

  /** The source put a chunk of an unnamed block into its queue of deregistrations. */
  record UnregisterQueued(long chunk, int position) implements QemuEvent {}

  /** A chunk of an unnamed block is in the source's queue of deregistrations already. */
  record UnregisterQueuedAlready(long chunk) implements QemuEvent {}

  /** The source took a chunk of an unnamed block out of its queue of deregistrations. */
  record UnregisterTaken(long chunk, int position) implements QemuEvent {}

  /** A deregistration has to wait for a write in transit. */
  record UnregisterPostponed() implements QemuEvent {}

  /** The source deregisters a chunk of an unnamed block, and asks the destination to. */
  record Unregistering(long chunk) implements QemuEvent {}

  /** The destination has deregistered what the source asked it to. */
  record UnregisterConfirmed() implements QemuEvent {}

  /** The destination was asked to deregister a chunk. */
  record UnregisterAsked(int request, int block, long chunk) implements QemuEvent {}

  /** The destination has deregistered the chunk that it was asked for. */
  record Unregistered(long chunk) implements QemuEvent {}

  /** The source waits for an answer; null if its name is not known. */
  record WaitBegan(@Nullable ControlType answer) implements QemuEvent {}

  record WaitEnded() implements QemuEvent {}

  /** The destination waits for the next registration message. */
  record RegistrationAwaited() implements QemuEvent {}

  record StatusEntered(MigrationStatus status) implements QemuEvent {}

  record Pending(long bytes) implements QemuEvent {}

  /**
   * RAM that is left once the guest is paused. A QEMU that traces this does not count the
   * synchronization of the dirty log before it.
   */
  record LastPending(long bytes) implements QemuEvent {}

  record SyncBegan() implements QemuEvent {}

  record SyncEnded(long dirtyPages) implements QemuEvent {}

  record GuestStopped() implements QemuEvent {}

  record ConnectionAwaited() implements QemuEvent {}

  record Connected() implements QemuEvent {}

  record PinAllRequested() implements QemuEvent {}

  record PinAll(boolean granted) implements QemuEvent {}

  /** The source registers all its RAM. */
  record PinsAll() implements QemuEvent {}

  record Disconnected() implements QemuEvent {}

  /**
   * A RAM block is forgotten at the end, with its registrations.
   *
   * @param address of the block at this end
   */
  record BlockDeleted(long address) implements QemuEvent {}

  /**
   * The global identifiers of both ends.
   *
   * @param where the function that knows them
   */
  record Gids(String where, String source, String destination) implements QemuEvent {}

  /** An event without information of its own. */
  record Silent() implements QemuEvent {}
}
