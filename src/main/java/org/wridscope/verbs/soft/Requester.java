// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending half of a queue pair (IBTA 9.9.2). All but the connecting runs on its device. */
abstract class Requester {
  /** Retry for ever; see {@code rdma_connect(3)}. */
  private static final int ENDLESS = 7;

  /** The RNR NAK timer with code 12 (IBTA table "Encoding for RNR NAK timer field"). */
  private static final long RNR_TIMER_NANOS = 640_000;

  final SoftQueuePair owner;
  final SoftDevice device;
  final WorkQueue queue;
  private final SoftCompletionQueue completions;
  private int rnrRetries;
  private int rnrRetriesLeft;
  private boolean waiting;
  private long dueAt;

  Requester(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    this.owner = owner;
    this.device = owner.device();
    this.queue = queue;
    this.completions = completions;
  }

  /**
   * Before the queue pair enters RTS.
   *
   * @param rnrRetries how often to repeat a message that finds no receive
   */
  final void connect(int rnrRetries) {
    this.rnrRetries = rnrRetries;
    rnrRetriesLeft = rnrRetries;
  }

  /** Has the queue pair, which is ready to send, take its turn. */
  abstract DeviceThread.Turn step();

  /** Whether {@link #step} has something to do now. */
  abstract boolean hasWork();

  /** The queue pair is being destroyed: no memory of a request is touched any more. */
  abstract void abandon();

  /** When it is to take its next turn, in the clock of {@link System#nanoTime}. */
  final long dueAt() {
    return dueAt;
  }

  final DeviceThread.Turn waitFor(long nanos) {
    waiting = true;
    dueAt = System.nanoTime() + nanos;
    return DeviceThread.Turn.LATER;
  }

  /** Whether it is not yet due. */
  final boolean isWaiting() {
    if (waiting && dueAt - System.nanoTime() <= 0) {
      waiting = false;
    }
    return waiting;
  }

  final void stopWaiting() {
    waiting = false;
  }

  /** The peer has no receive posted: waits, or is out of patience and returns false. */
  final boolean retryLater() {
    if (rnrRetries != ENDLESS && rnrRetriesLeft-- <= 0) {
      return false;
    }
    waitFor(RNR_TIMER_NANOS);
    return true;
  }

  /** The first error: it completes the oldest request, the error state flushes the others. */
  final DeviceThread.Turn fail(WorkCompletionStatus status, int vendorError) {
    owner.enterError();
    complete(status, vendorError);
    return DeviceThread.Turn.AGAIN;
  }

  /** As {@link #fail(WorkCompletionStatus, int)}, for what the peer answered. */
  final DeviceThread.Turn fail(Response response) {
    return fail(response.status(), response.vendorError().code());
  }

  /** The oldest request was executed. */
  final void succeed() {
    rnrRetriesLeft = rnrRetries;
    if (queue.signaled(queue.slot())) {
      complete(WorkCompletionStatus.SUCCESS, 0);
    } else {
      queue.take();
    }
  }

  /** Completes all requests as flushed, in order. */
  void flush() {
    while (!queue.isEmpty()) {
      complete(WorkCompletionStatus.WR_FLUSH_ERR, 0);
    }
  }

  private void complete(WorkCompletionStatus status, int vendorError) {
    int slot = queue.slot();
    long ordinal = queue.ordinal();
    queue.take();
    completions.add(
        owner,
        queue,
        ordinal,
        queue.workRequestId(slot),
        status,
        queue.opcode(slot) == SendRequest.Opcode.SEND
            ? WorkCompletionOpcode.SEND
            : WorkCompletionOpcode.RDMA_WRITE,
        0,
        vendorError);
  }
}
