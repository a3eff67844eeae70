// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The receiving half of a queue pair whose peer is reached over a socket. Run by the device's
 * thread, and so is the flush, so that neither disturbs the other.
 *
 * <p>What a message names is checked before its first byte is taken, and again each time that more
 * of it arrives: meanwhile the region may have been deregistered, or the queue pair destroyed.
 */
final class NetworkResponder extends Responder {
  /** The sequence number of the next message. */
  private long expected;

  /** A message was refused, but may come again; what was sent behind it is not for us. */
  private boolean awaitsRepeat;

  /** A message was refused for good. */
  private boolean failed;

  // The message that is coming in.
  private @Nullable NetworkLink link;
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
   * @param from where answers go
   * @return whether it is taken
   */
  boolean begin(Frame frame, NetworkLink from) throws BrokenStreamException {
    link = from;
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
        from.answer(Response.RNR_NAK, expected);
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
    releaseTarget();
    return taken;
  }

  /**
   * Where the rest of the message goes.
   *
   * @param left how much of it is to come yet, at least 1
   * @return null when it is not taken any more; else {@link #releaseTarget} is called next
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
        region == null
            ? VendorError.UNKNOWN_KEY
            : region.acquire(owner.domain(), address + (length - left), left, right);
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

  /** What {@link #target} gave is not used any more. */
  void releaseTarget() {
    if (target != null) {
      target.releaseViews();
      target.release();
      target = null;
    }
  }

  /** What {@link #target} gave was freed although it is registered. */
  void memoryIsGone() {
    refuseMemory(
        VendorError.MEMORY_FAULT, Response.NAK_REMOTE_OPERATIONAL, AsyncEventType.QP_FATAL);
  }

  /** Answers no message any more but with this, and only once. */
  private boolean refuse(Response response) {
    failed = true;
    if (link != null) {
      link.answer(response, expected);
    }
    return false;
  }

  /** The message has come in whole; false when it came too late to count. */
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
    // Whoever destroys the queue pair has waited for the device's thread already.
    return true;
  }
}
