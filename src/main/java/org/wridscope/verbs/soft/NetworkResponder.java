// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The receiving half of a queue pair whose peer is reached over a socket. The device's thread both
 * receives and flushes, so the two never run at the same time.
 *
 * <p>The target of a message is checked before its first byte is written, and again for each
 * further piece: meanwhile the region may have been deregistered or the queue pair destroyed.
 */
final class NetworkResponder extends Responder {
  /** The sequence number of the next message. */
  private long expected;

  /** A message was answered with RNR NAK: later messages are ignored until it is repeated. */
  private boolean awaitsRepeat;

  /** A message was refused with an error: all later ones are ignored. */
  private boolean failed;

  // The message that is arriving.
  private @Nullable LinkWriter answers;
  private boolean isWrite;
  private int key;
  private int right;
  private long address;
  private int length;
  private @Nullable SoftMemoryRegion target;

  NetworkResponder(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    super(owner, queue, completions);
  }

  /**
   * A message begins.
   *
   * @param writer sends the answers
   * @return whether it is accepted
   */
  boolean begin(Frame frame, LinkWriter writer) throws BrokenStreamException {
    answers = writer;
    long sequence = frame.sequence();
    if (failed || (awaitsRepeat && sequence > expected)) {
      return false;
    }
    if (sequence != expected) {
      throw BrokenStreamException.of("sequence number", sequence, Long.toString(expected));
    }
    if (owner.state() != QueuePairState.RTS) {
      return refuse(Response.SILENCE);
    }
    length = frame.length();
    isWrite = frame.type() == Frame.Type.RDMA_WRITE;
    if (isWrite) {
      address = frame.remoteAddress();
      key = frame.remoteKey();
      right = Access.REMOTE_WRITE.bit();
    } else {
      if (queue.isEmpty()) {
        awaitsRepeat = true;
        writer.answer(Response.RNR_NAK, expected);
        return false;
      }
      int slot = queue.slot();
      if (queue.length(slot) < length) {
        return refuse(
            refuse(
                Response.NAK_INVALID_REQUEST,
                WorkCompletionStatus.LOC_LEN_ERR,
                VendorError.RECEIVE_TOO_SHORT));
      }
      address = queue.address(slot);
      key = queue.localKey(slot);
      right = Access.LOCAL_WRITE.bit();
    }
    awaitsRepeat = false;
    if (length == 0) {
      return true;
    }
    boolean taken = acquire(length);
    if (taken && target != null) {
      target.populate(address, length);
    }
    releaseTarget();
    return taken;
  }

  /**
   * The target of the rest of the message.
   *
   * @param left how many of its bytes are still to come, at least 1
   * @return null when the rest is refused; otherwise call {@link #releaseTarget} next
   */
  @Nullable ByteBuffer target(int left) {
    if (owner.state() != QueuePairState.RTS) {
      refuse(Response.SILENCE);
      return null;
    }
    if (!acquire(left) || target == null) {
      return null;
    }
    return target.view(address + (length - left), left);
  }

  private boolean acquire(int left) {
    SoftMemoryRegion region = isWrite ? device.keys().remote(key) : device.keys().local(key);
    VendorError error =
        SoftMemoryRegion.acquire(region, owner.domain(), address + (length - left), left, right);
    if (error == VendorError.NONE) {
      target = region;
      return true;
    }
    return refuseMemory(error, Response.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
  }

  private boolean refuseMemory(VendorError error, Response ofWrite, AsyncEventType event) {
    return refuse(
        isWrite
            ? refuse(ofWrite, event)
            : refuse(Response.NAK_REMOTE_OPERATIONAL, WorkCompletionStatus.LOC_PROT_ERR, error));
  }

  /** The buffer of {@link #target} is not used any more. */
  void releaseTarget() {
    if (target != null) {
      target.releaseViews();
      target.release();
      target = null;
    }
  }

  /** The memory of {@link #target} was freed although it is registered. */
  void memoryIsGone() {
    refuseMemory(
        VendorError.MEMORY_FAULT, Response.NAK_REMOTE_OPERATIONAL, AsyncEventType.QP_FATAL);
  }

  /** Refuses this message with an error, and ignores later ones. */
  private boolean refuse(Response response) {
    failed = true;
    if (answers != null) {
      answers.answer(response, expected);
    }
    return false;
  }

  /** The whole message has arrived; false when the queue pair has failed meanwhile. */
  boolean end() {
    if (owner.state() != QueuePairState.RTS) {
      return refuse(Response.SILENCE);
    }
    expected++;
    if (!isWrite) {
      succeed(length);
    }
    return true;
  }

  @Override
  boolean canFlush() {
    return !queue.isEmpty();
  }

  @Override
  boolean awaitIdle(long nanos) {
    // Destroying the queue pair waits for the device's thread, which receives messages.
    return true;
  }
}
