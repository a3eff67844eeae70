// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

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

  /** A wait polled a completion that it did not expect. */
  record Missed(long wanted, long got) implements QemuEvent {}

  record WritePosted(long chunk, long address, long remote, int length) implements QemuEvent {}

  /**
   * Zeros that were sent or received as COMPRESS.
   *
   * @param address in QEMU's address space of all RAM blocks
   */
  record Zeros(int block, long address, long bytes) implements QemuEvent {}

  record Registering(long bytes, long address) implements QemuEvent {}

  /** The destination sends the key of its newest or an earlier registration. */
  record KeyGiven(int key) implements QemuEvent {}

  /** The source received the key for a chunk of its newest registration. */
  record KeyReceived(int key, long chunk) implements QemuEvent {}

  record WaitBegan(String what) implements QemuEvent {}

  record WaitEnded() implements QemuEvent {}

  /** The destination waits for the next registration message. */
  record RegistrationAwaited() implements QemuEvent {}

  record StatusEntered(MigrationStatus status) implements QemuEvent {}

  record Pending(long bytes) implements QemuEvent {}

  record SyncBegan() implements QemuEvent {}

  record SyncEnded(long dirtyPages) implements QemuEvent {}

  record GuestStopped() implements QemuEvent {}

  record ConnectionAwaited() implements QemuEvent {}

  record Connected() implements QemuEvent {}

  record PinAll(boolean granted) implements QemuEvent {}

  record Disconnected() implements QemuEvent {}

  /** An event without information of its own. */
  record Silent() implements QemuEvent {}
}
