// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending half of a queue pair (IBTA 9.9.2). All but the connecting runs on its device. */
abstract class Requester {
  /** Retry for ever; see {@code rdma_connect(3)}. */
  private static final int ENDLESS = 7;

  /** How often to look whether completions are still held back. */
  private static final long HOLD_LOOK_NANOS = 20_000;

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

  /** The ordinal of the oldest request whose completion was not told, executed or not. */
  private long untold;

  /** What keeps completions back, from the request with the ordinal {@link #heldFrom} on. */
  private Fault.@Nullable HoldCompletion hold;

  private long heldFrom;
  private long heldSince;
  private long receivesPolled;

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
  final DeviceThread.Turn serve() {
    tell();
    DeviceThread.Turn turn = step();
    if (hold == null || turn != DeviceThread.Turn.IDLE) {
      return turn;
    }
    dueAt = System.nanoTime() + HOLD_LOOK_NANOS;
    return DeviceThread.Turn.LATER;
  }

  /** Takes a turn at what is on the queue. */
  abstract DeviceThread.Turn step();

  /** Keeps back the completions of the request with this ordinal and of those behind it. */
  final void hold(long ordinal, Fault.HoldCompletion fault) {
    if (hold == null) {
      hold = fault;
      heldFrom = ordinal;
      heldSince = System.nanoTime();
      receivesPolled = owner.receivesPolled();
    }
  }

  private boolean isHolding() {
    Fault.HoldCompletion fault = hold;
    if (fault != null
        && (System.nanoTime() - heldSince >= fault.nanos()
            || (fault.untilReceive() && owner.receivesPolled() != receivesPolled))) {
      hold = null;
    }
    return hold != null;
  }

  /** Completes what was executed and is not held back. */
  private void tell() {
    long end = isHolding() ? Math.min(heldFrom, queue.ordinal()) : queue.ordinal();
    tell(end);
  }

  private void tell(long end) {
    for (; untold < end; untold++) {
      if (queue.signaled(queue.slot(untold))) {
        complete(untold, WorkCompletionStatus.SUCCESS, 0);
      }
    }
  }

  private void tellAll() {
    hold = null;
    tell(queue.ordinal());
  }

  /** Whether {@link #step} has something to do now. */
  abstract boolean hasWork();

  /**
   * Whether it is at rest between two turns, so that who keeps it from having one may end it.
   * Otherwise only its device's thread may.
   */
  abstract boolean restsBetweenTurns();

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
    tellAll();
    completeOldest(status, vendorError);
    return DeviceThread.Turn.AGAIN;
  }

  final DeviceThread.Turn fail(Response response) {
    return fail(response.status(), response.vendorError().code());
  }

  /** The oldest request was executed. */
  final void succeed() {
    rnrRetriesLeft = rnrRetries;
    queue.take();
    tell();
  }

  /** Completes all requests as flushed, in order. */
  void flush() {
    tellAll();
    while (!queue.isEmpty()) {
      completeOldest(WorkCompletionStatus.WR_FLUSH_ERR, 0);
    }
  }

  private void completeOldest(WorkCompletionStatus status, int vendorError) {
    long ordinal = queue.ordinal();
    queue.take();
    untold = queue.ordinal();
    complete(ordinal, status, vendorError);
  }

  private void complete(long ordinal, WorkCompletionStatus status, int vendorError) {
    int slot = queue.slot(ordinal);
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
