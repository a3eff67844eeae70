// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.MigrationStatus;

/** What a trace event of QEMU tells, as far as a recording has a place for it. */
sealed interface QemuEvent {

  /**
   * A block of its own RAM.
   *
   * @param offset where it begins in QEMU's counting of RAM over all blocks
   */
  record BlockAdded(String name, long address, long offset, long length) implements QemuEvent {}

  /** The source knows its own blocks. */
  record BlocksListed() implements QemuEvent {}

  /** A block of the source has this index there. */
  record BlockNotified(String name, int index) implements QemuEvent {}

  /** The destination was asked for its blocks. */
  record BlocksAsked() implements QemuEvent {}

  record ControlSent(ControlType type) implements QemuEvent {}

  record ControlReceived(ControlType type) implements QemuEvent {}

  /** Another message than the one that was waited for. */
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

  /** A wait took out a completion that it did not want. */
  record Missed(long wanted, long got) implements QemuEvent {}

  record WritePosted(long chunk, long address, long remote, int length) implements QemuEvent {}

  /**
   * Zeros that went, or came, as COMPRESS.
   *
   * @param address in QEMU's counting of RAM over all blocks
   */
  record Zeros(int block, long address, long bytes) implements QemuEvent {}

  record Registering(long bytes, long address) implements QemuEvent {}

  /** The destination gives out the key of what it registered just now, or before. */
  record KeyGiven(int key) implements QemuEvent {}

  /** The source got the key for a chunk of what it registered just before. */
  record KeyReceived(int key, long chunk) implements QemuEvent {}

  record WaitBegan(String what) implements QemuEvent {}

  record WaitEnded() implements QemuEvent {}

  /** The destination goes back to wait for the next registration message. */
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

  /** It tells nothing that another one does not tell. */
  record Silent() implements QemuEvent {}
}
