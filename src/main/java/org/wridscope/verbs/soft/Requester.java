// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending half of a queue pair (IBTA 9.9.2). Run by the device's thread once connected. */
abstract class Requester extends QueuePairHalf {
  /** Retry forever; see {@code rdma_connect(3)}. */
  private static final int ENDLESS = 7;

  /** Interval between checks whether completions are still held back. */
  private static final long HOLD_CHECK_NANOS = 20_000;

  /** The RNR NAK timer with code 12 (IBTA table "Encoding for RNR NAK timer field"). */
  private static final long RNR_TIMER_NANOS = 640_000;

  /**
   * How often in a row an acknowledgement is lost at most: the retry count of QEMU and of this
   * program's engine. One more would end the connection.
   */
  private static final int MOST_LOSSES = 5;

  /** Whether acknowledgements arrive in steps of their own. */
  private final boolean isStepped;

  private int rnrRetries;
  private int rnrRetriesLeft;
  private boolean waiting;
  private long dueAt;

  /** The ordinal of the oldest request that was not completed, executed or not. */
  private long uncompleted;

  /** Holds back completions from the request with the ordinal {@link #heldFrom} on. */
  private Fault.@Nullable Held hold;

  private long heldFrom;
  private long heldSince;
  private long receivesPolled;

  /** SENDs that were executed after the request with the ordinal {@link #heldFrom}. */
  private int laterSends;

  private final DeviceStep executing;
  private final DeviceStep acknowledging;
  private final DeviceStep resending;
  private final DeviceStep losing;

  /** How often acknowledgements were lost since one arrived. */
  private int losses;

  Requester(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    super(owner, queue, completions);
    isStepped = device.processor() instanceof SteppedProcessor;
    executing = new DeviceStep(owner, DeviceStep.Kind.EXECUTE, queue::ordinal, this::step);
    acknowledging =
        new DeviceStep(
            owner, DeviceStep.Kind.ACKNOWLEDGE, this::nextSignaled, this::acknowledgeNext);
    resending = new DeviceStep(owner, DeviceStep.Kind.RESEND, () -> uncompleted, this::resendAll);
    losing = new DeviceStep(owner, DeviceStep.Kind.LOSE, () -> uncompleted, this::lose);
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

  /** Runs a turn of the queue pair, which is ready to send. */
  final DeviceThread.Turn serve() {
    if (hasTimerExpired() && !resendAll()) {
      return DeviceThread.Turn.AGAIN;
    }
    completeExecuted();
    DeviceThread.Turn turn = step();
    if (hold == null || turn != DeviceThread.Turn.IDLE) {
      return turn;
    }
    dueAt = Time.nanos() + HOLD_CHECK_NANOS;
    return DeviceThread.Turn.LATER;
  }

  // ------------------------------------------------------------------------- steps of a schedule

  /** Adds what can be done now, each a step of its own. */
  final void addSteps(List<? super DeviceStep> steps) {
    if (hasTimerExpired()) {
      steps.add(resending);
      return;
    }
    if (nextSignaled() >= 0) {
      steps.add(acknowledging);
    }
    if (hasWork() && !isWaiting()) {
      steps.add(executing);
    }
  }

  /** Adds what may be done, but is not done by itself. */
  void addOthers(List<? super DeviceStep> others) {
    if (uncompleted < queue.ordinal() && losses < MOST_LOSSES) {
      others.add(losing);
    }
  }

  /** Acknowledgements are lost, so that the transport timer expires. */
  private void lose() {
    losses++;
    boolean _ = hold instanceof Fault.Retransmit ? resendAll() : sendAgain();
  }

  /** When a step can be done, in the clock of {@link Time#nanos}; not earlier than the truth. */
  final long nextDue() {
    long due = hasWork() && waiting ? dueAt : Scheduler.NEVER;
    return hold == null || hold.nanos() >= Scheduler.NEVER - heldSince
        ? due
        : Math.min(due, Math.max(heldSince + hold.nanos(), Time.nanos()));
  }

  /** The oldest request that was executed and whose completion is not held back; or -1. */
  private long nextSignaled() {
    long end = isHolding() ? Math.min(heldFrom, queue.ordinal()) : queue.ordinal();
    long next = uncompleted;
    while (next < end && !queue.signaled(queue.slot(next))) {
      next++;
    }
    return next < end ? next : -1;
  }

  private void acknowledgeNext() {
    completeBefore(nextSignaled() + 1);
  }

  /** What the device's fault plan decides about a request; asked once for each. */
  final Fault decideFault(long ordinal) {
    int slot = queue.slot(ordinal);
    return device
        .faultPlan()
        .decide(owner.number(), ordinal, queue.opcode(slot), queue.workRequestId(slot));
  }

  /** The requests that were executed and whose acknowledgement has not arrived, oldest first. */
  final List<PostedRequest> unacknowledged() {
    return queue.requests(uncompleted, queue.ordinal(), device.keys());
  }

  /** Works on the queue for one turn. */
  abstract DeviceThread.Turn step();

  /** Holds back the completions of the request with this ordinal and of later ones. */
  final void hold(long ordinal, Fault.Held fault) {
    if (hold == null) {
      hold = fault;
      heldFrom = ordinal;
      heldSince = Time.nanos();
      receivesPolled = owner.receivesPolled();
      laterSends = 0;
    }
  }

  private boolean isTimeUp() {
    return hold != null && Time.nanos() - heldSince >= hold.nanos();
  }

  private boolean isHolding() {
    if (hold instanceof Fault.HoldCompletion fault
        && (isTimeUp() || (fault.untilReceive() && owner.receivesPolled() != receivesPolled))) {
      hold = null;
    }
    return hold != null;
  }

  // --------------------------------------------------------------------------- retransmission

  /** Whether requests that are executed now are sent again later. */
  final boolean isUnacknowledged() {
    return hold instanceof Fault.Retransmit;
  }

  /** Whether a request that is executed now may be sent again. */
  final boolean mayBeSentAgain() {
    return isStepped || isUnacknowledged();
  }

  private boolean hasTimerExpired() {
    return hold instanceof Fault.Retransmit fault
        && (isTimeUp() || (fault.untilSends() > 0 && laterSends >= fault.untilSends()));
  }

  /**
   * The transport timer has expired: sends again what was not acknowledged; false if that fails.
   */
  private boolean resendAll() {
    hold = null;
    return sendAgain();
  }

  private boolean sendAgain() {
    for (long ordinal = uncompleted; ordinal < queue.ordinal(); ordinal++) {
      if (!resend(ordinal)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Sends a request again that was executed; only called if it {@linkplain #mayBeSentAgain may be}.
   *
   * @return false when it has {@linkplain #failExecuted failed}
   */
  boolean resend(long ordinal) {
    throw new IllegalStateException("request %d cannot be sent again".formatted(ordinal));
  }

  /**
   * The acknowledgement of a request that was executed arrives, or never does.
   *
   * @param arrives whether it does
   */
  void answered(long ordinal, boolean arrives) {
    // Nobody sees it.
  }

  /** A request that was executed completes with an error; those before it were acknowledged. */
  final void failExecuted(long failed, WorkCompletionStatus status, int vendorError) {
    owner.enterError();
    completeBefore(failed);
    answered(failed, false);
    complete(failed, status, vendorError);
    uncompleted = failed + 1;
    flushExecuted();
  }

  /** Flushes requests that were executed and never acknowledged. */
  private void flushExecuted() {
    for (; uncompleted < queue.ordinal(); uncompleted++) {
      answered(uncompleted, false);
      complete(uncompleted, WorkCompletionStatus.WR_FLUSH_ERR, 0);
    }
  }

  // ------------------------------------------------------------------------------ completions

  /** Completes requests that were executed and are not held back. */
  private void completeExecuted() {
    long end = isHolding() ? Math.min(heldFrom, queue.ordinal()) : queue.ordinal();
    completeBefore(end);
  }

  private void completeBefore(long end) {
    if (uncompleted < end) {
      losses = 0;
    }
    for (; uncompleted < end; uncompleted++) {
      answered(uncompleted, true);
      if (queue.signaled(queue.slot(uncompleted))) {
        complete(uncompleted, WorkCompletionStatus.SUCCESS, 0);
      }
    }
  }

  private void completeAllExecuted() {
    hold = null;
    completeBefore(queue.ordinal());
  }

  /** Whether {@link #step} has something to do now. */
  abstract boolean hasWork();

  /**
   * Whether nothing is in progress between two turns. If so, a thread that prevents further turns
   * may end it; otherwise only the device's thread may.
   */
  abstract boolean isIdleBetweenTurns();

  /** The queue pair is being destroyed: stops accessing the memory of requests. */
  abstract void abandon();

  /** When the next turn is due, in the clock of {@link Time#nanos}. */
  final long dueAt() {
    return dueAt;
  }

  final DeviceThread.Turn waitFor(long nanos) {
    waiting = true;
    dueAt = Time.nanos() + nanos;
    return DeviceThread.Turn.LATER;
  }

  /** Whether it is not yet due. */
  final boolean isWaiting() {
    if (waiting && dueAt - Time.nanos() <= 0) {
      waiting = false;
    }
    return waiting;
  }

  final void stopWaiting() {
    waiting = false;
  }

  /** The peer has no receive posted: waits, or returns false when no retry is left. */
  final boolean retryLater() {
    if (rnrRetries != ENDLESS && rnrRetriesLeft-- <= 0) {
      return false;
    }
    waitFor(RNR_TIMER_NANOS);
    return true;
  }

  /**
   * The first error completes the oldest request; the error state flushes the others. If the queue
   * pair has failed meanwhile for another reason, all are flushed.
   */
  final DeviceThread.Turn fail(WorkCompletionStatus status, int vendorError) {
    if (isUnacknowledged()
        && heldFrom < queue.ordinal()
        && status == WorkCompletionStatus.RETRY_EXC_ERR) {
      hold = null;
      failExecuted(heldFrom, status, vendorError);
      return DeviceThread.Turn.AGAIN;
    }
    if (!owner.enterError()) {
      flush();
      return DeviceThread.Turn.AGAIN;
    }
    completeAllExecuted();
    completeOldest(status, vendorError);
    return DeviceThread.Turn.AGAIN;
  }

  final DeviceThread.Turn fail(Response response) {
    return fail(response.status(), response.vendorError().code());
  }

  /** The oldest request was executed. */
  final void succeed() {
    rnrRetriesLeft = rnrRetries;
    if (queue.ordinal() > heldFrom && queue.opcode(queue.slot()) == SendRequest.Opcode.SEND) {
      laterSends++;
    }
    queue.take();
    if (!isStepped) {
      completeExecuted();
    }
  }

  /** Completes all requests as flushed, in order. */
  void flush() {
    if (isUnacknowledged()) {
      hold = null;
      completeBefore(Math.min(heldFrom, queue.ordinal()));
      flushExecuted();
    }
    completeAllExecuted();
    while (!queue.isEmpty()) {
      completeOldest(WorkCompletionStatus.WR_FLUSH_ERR, 0);
    }
  }

  private void completeOldest(WorkCompletionStatus status, int vendorError) {
    long ordinal = queue.ordinal();
    queue.take();
    uncompleted = queue.ordinal();
    complete(ordinal, status, vendorError);
  }

  private void complete(long ordinal, WorkCompletionStatus status, int vendorError) {
    WorkCompletionOpcode opcode =
        switch (queue.opcode(queue.slot(ordinal))) {
          case SEND -> WorkCompletionOpcode.SEND;
          case RDMA_WRITE -> WorkCompletionOpcode.RDMA_WRITE;
        };
    complete(ordinal, status, opcode, 0, vendorError);
  }
}
