// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.Access;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The receiving half of a queue pair whose peer is in this process. Messages arrive on the thread
 * of the peer's device, one at a time. The receive queue is flushed on this device's thread, but
 * never while a message arrives.
 */
final class LocalResponder extends Responder {
  private static final long WAIT_NANOS = 20_000;
  private static final int SPINS = 1_000;

  /** Whether a message is arriving. The thread that sets this checks the state afterwards. */
  private volatile boolean busy;

  LocalResponder(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    super(owner, queue, completions);
  }

  /**
   * An RDMA WRITE arrives.
   *
   * @param source the sender's region, acquired; null when the message is empty
   */
  Response write(@Nullable SoftMemoryRegion source, long from, int length, long to, int remoteKey) {
    if (!enter()) {
      return Response.SILENCE;
    }
    try {
      if (source == null) {
        return Response.ACK;
      }
      SoftMemoryRegion target = device.keys().remote(remoteKey);
      if (target == null
          || SoftMemoryRegion.acquire(target, owner.domain(), to, length, Access.REMOTE_WRITE.bit())
              != VendorError.NONE) {
        return refuse(Response.NAK_REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERR);
      }
      boolean copied;
      try {
        copied = source.copyTo(target, from, to, length);
      } finally {
        target.release();
      }
      if (copied) {
        return Response.ACK;
      }
      return source.isAlive()
          ? refuse(Response.NAK_REMOTE_OPERATIONAL, AsyncEventType.QP_FATAL)
          : Response.SOURCE_FAULT;
    } finally {
      leave();
    }
  }

  /**
   * A SEND arrives.
   *
   * @param source the sender's region, acquired; null when the message is empty
   */
  Response receive(@Nullable SoftMemoryRegion source, long from, int length) {
    if (!enter()) {
      return Response.SILENCE;
    }
    try {
      if (queue.isEmpty()) {
        return Response.RNR_NAK;
      }
      int slot = queue.slot();
      if (queue.length(slot) < length) {
        return refuse(
            Response.NAK_INVALID_REQUEST,
            WorkCompletionStatus.LOC_LEN_ERR,
            VendorError.RECEIVE_TOO_SHORT);
      }
      if (source != null) {
        SoftMemoryRegion target = device.keys().local(queue.localKey(slot));
        VendorError error =
            SoftMemoryRegion.acquire(
                target, owner.domain(), queue.address(slot), length, Access.LOCAL_WRITE.bit());
        if (target == null || error != VendorError.NONE) {
          return refuse(Response.NAK_REMOTE_OPERATIONAL, WorkCompletionStatus.LOC_PROT_ERR, error);
        }
        boolean copied;
        try {
          copied = source.copyTo(target, from, queue.address(slot), length);
        } finally {
          target.release();
        }
        if (!copied) {
          return source.isAlive()
              ? refuse(
                  Response.NAK_REMOTE_OPERATIONAL,
                  WorkCompletionStatus.LOC_PROT_ERR,
                  VendorError.MEMORY_FAULT)
              : Response.SOURCE_FAULT;
        }
      }
      succeed(length);
      return Response.ACK;
    } finally {
      leave();
    }
  }

  /** A message arrives again: it is acknowledged, and its data discarded (IBTA C9-105). */
  Response repeat() {
    if (!enter()) {
      return Response.SILENCE;
    }
    leave();
    return Response.ACK;
  }

  @Override
  boolean canFlush() {
    return !busy && !queue.isEmpty();
  }

  @Override
  boolean awaitIdle(long nanos) {
    long end = Time.nanos() + nanos;
    for (int checks = 0; busy; checks++) {
      if (checks < SPINS) {
        Thread.onSpinWait();
      } else if (Time.nanos() - end > 0) {
        return false;
      } else {
        Time.park(this, WAIT_NANOS);
      }
    }
    return true;
  }

  private boolean enter() {
    busy = true;
    if (owner.state() == QueuePairState.RTS) {
      return true;
    }
    leave();
    return false;
  }

  private void leave() {
    busy = false;
    if (owner.state() == QueuePairState.ERROR) {
      device.processor().schedule(owner);
    }
  }
}
