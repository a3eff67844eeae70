// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Demonstrates the hang that QEMU commit b390afd8c50b fixed: sends and receives complete in one
 * queue, and waits are those of {@code qemu_rdma_block_for_wrid} before that commit. A wait takes
 * completions one by one until its own has come, and a wait for a SEND drops the receives that it
 * takes. (A wait for an RDMA WRITE handles a receive that it takes, which is a READY, and every
 * wait handles the completions of RDMA WRITEs: they are met, without harm.)
 */
final class SharedQueue implements CompletionPolicy {
  private static final BooleanSupplier NEVER = () -> false;

  private final CompletionQueue queue;
  private SessionTelemetry telemetry;
  private final Limits limits;
  private final WorkCompletion[] completion = WorkCompletion.array(1);

  /** The present wait, which is for the SEND of {@link #awaitedSend} if that is not 0. */
  private Awaited awaited = Awaited.ANY;

  private BooleanSupplier awaitedCame = NEVER;
  private Wait awaitedWait = new Wait(Wait.Kind.UNKNOWN);
  private long awaitedSend;

  /** The first receive whose completion was dropped; 0 for none. */
  private long droppedReceive;

  private String loss = "";

  SharedQueue(Endpoint endpoint, SessionTelemetry telemetry, Limits limits) {
    queue = endpoint.sendCompletions();
    this.telemetry = telemetry;
    this.limits = limits;
  }

  /**
   * Queue depths with which one completion queue holds all completions of both queues.
   *
   * @throws MigrationException if the device does not support enough of them
   */
  static QueueDepths depths(RdmaDevice device) throws MigrationException {
    int entries = device.capabilities().maxCompletionQueueEntries();
    QueueDepths.requireEntries(device, QueueDepths.MIN_SENDS + QueueDepths.MIN_RECEIVES);
    int receives = Math.min(QueueDepths.MOST_RECEIVES, entries / 2);
    return QueueDepths.within(device, entries - receives, receives);
  }

  @Override
  public void setTelemetry(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  @Override
  public boolean take(Handler handler) throws IOException {
    boolean any = false;
    while (!awaitedCame.getAsBoolean() && queue.poll(completion) > 0) {
      any = true;
      boolean received =
          WorkRequestId.type(completion[0].workRequestId()) >= WorkRequestId.CONTROL_RECEIVE;
      if (received
          && awaited == Awaited.SEND
          && completion[0].status() == WorkCompletionStatus.SUCCESS) {
        drop(completion[0]);
      } else {
        long wrid = completion[0].workRequestId();
        boolean other = wanted() != 0 && wanted() != typeOf(wrid);
        boolean ok = completion[0].status() == WorkCompletionStatus.SUCCESS;
        handler.completed(
            completion[0],
            received ? EventKind.COMPLETION_RECEIVE_QUEUE : EventKind.COMPLETION_SEND_QUEUE);
        if (other && ok) {
          telemetry.completionMet(wrid, wanted());
        }
      }
    }
    return any;
  }

  /** The type of the wrid that the present wait is for, 0 for none in particular. */
  private int wanted() {
    return switch (awaited) {
      case SEND -> WorkRequestId.CONTROL_SEND;
      case RECEIVE -> WorkRequestId.CONTROL_RECEIVE;
      case WRITE -> WorkRequestId.RDMA_WRITE;
      case ANY -> 0;
    };
  }

  /** The type of a wrid, the same for all receives. */
  private static int typeOf(long wrid) {
    return Math.min(WorkRequestId.type(wrid), WorkRequestId.CONTROL_RECEIVE);
  }

  private void drop(WorkCompletion dropped) {
    long wrid = dropped.workRequestId();
    telemetry.event(
        EventKind.COMPLETION_RECEIVE_QUEUE,
        dropped.status().value(),
        dropped.byteLength(),
        wrid,
        0);
    telemetry.completionDropped(wrid, wanted());
    if (loss.isEmpty()) {
      droppedReceive = wrid;
      loss =
          " The wait for %s had dropped the completion of %s, which came first in the shared completion queue, so this wait cannot end; use separate completion queues."
              .formatted(awaitedWait.text(), WorkRequestId.describe(wrid));
    }
  }

  @Override
  public void requestNotification() throws VerbsException {
    queue.requestNotification();
  }

  @Override
  public long waitBegins(BooleanSupplier done, Awaited which, Wait what) {
    awaited = which;
    awaitedWait = what;
    boolean ofOne = which == Awaited.SEND || which == Awaited.RECEIVE;
    awaitedCame = ofOne ? done : NEVER;
    return switch (which) {
      case SEND -> awaitedSend;
      // Receives complete in order, so the next one would have been the one dropped.
      case RECEIVE -> droppedReceive;
      case WRITE, ANY -> 0;
    };
  }

  @Override
  public void waitEnds() {
    awaited = Awaited.ANY;
    awaitedCame = NEVER;
  }

  /** Waits for the SEND, as QEMU does after each ({@code qemu_rdma_post_send_control}). */
  @Override
  public void posted(
      CompletionPoller poller, ControlType type, long workRequestId, BooleanSupplier allSent)
      throws IOException, InterruptedException {
    awaitedSend = workRequestId;
    try {
      poller.await(allSent, Awaited.SEND, new Wait(Wait.Kind.SEND, type.value()), limits.answer());
    } finally {
      awaitedSend = 0;
    }
  }

  /** The wait for a SEND would drop an outstanding answer, or a heartbeat. */
  @Override
  public boolean isPipelined() {
    return false;
  }

  /** A completion that was dropped never comes, so the wait for it need not be long. */
  @Override
  public Duration limit(Duration limit) {
    boolean shorter = !loss.isEmpty() && limit.compareTo(limits.silence()) > 0;
    return shorter ? limits.silence() : limit;
  }

  @Override
  public String loss() {
    return loss;
  }
}
