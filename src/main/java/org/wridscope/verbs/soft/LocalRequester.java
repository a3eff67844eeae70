// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending half of a queue pair whose peer is in this process: it calls the other half. */
final class LocalRequester extends Requester {
  private volatile @Nullable LocalResponder remote;
  private final SoftConnection connection;

  /** The ordinal of the oldest request that the fault plan has not been asked about. */
  private long undecided;

  /**
   * The ordinal of the oldest request that was not executed. Those before it that were not taken
   * out are held: their acknowledgements are still under way.
   */
  private long executed;

  /** When the acknowledgement of a request arrives, by its slot; made when one is late. */
  private long[] acknowledgedAt = {};

  /** How late the acknowledgement of the request is that is executed next. */
  private long lateness;

  LocalRequester(
      SoftConnection connection,
      SoftQueuePair owner,
      WorkQueue queue,
      SoftCompletionQueue completions) {
    super(owner, queue, completions);
    this.connection = connection;
  }

  /** Before the queue pair enters RTS. */
  void plug(LocalResponder remote) {
    this.remote = remote;
  }

  /** Cuts the cable to the peer: nothing that is sent from now on is answered. */
  void cut() {
    remote = null;
  }

  @Override
  boolean hasWork() {
    return executed < queue.posted() || (isHolding() && nanosUntilAcknowledged() <= 0);
  }

  @Override
  void abandon() {
    // Nothing is left half done between two turns.
    device.thread().clearAlarm(owner);
  }

  private boolean isHolding() {
    return queue.ordinal() < executed;
  }

  private long nanosUntilAcknowledged() {
    return acknowledgedAt[queue.slot()] - System.nanoTime();
  }

  /** Completes what was acknowledged by now, and has itself called for the rest. */
  private void completeAcknowledged() {
    while (isHolding() && nanosUntilAcknowledged() <= 0) {
      succeed();
    }
    if (isHolding()) {
      device.thread().setAlarm(owner, acknowledgedAt[queue.slot()]);
    }
  }

  /** Executes the oldest request that was not. */
  @Override
  DeviceThread.Turn step() {
    completeAcknowledged();
    if (executed == queue.posted()) {
      return DeviceThread.Turn.IDLE;
    }
    if (isWaiting()) {
      return DeviceThread.Turn.LATER;
    }
    int slot = queue.slot(executed);
    if (undecided == executed) {
      undecided++;
      lateness = 0;
      Fault fault =
          device
              .faultPlan()
              .decide(owner.number(), executed, queue.opcode(slot), queue.workRequestId(slot));
      switch (fault) {
        case Fault.Proceed() -> {}
        case Fault.Cut() -> connection.cut();
        case Fault.Delay(long nanos) -> {
          return waitFor(nanos);
        }
        case Fault.DelayCompletion(long nanos) -> lateness = nanos;
        case Fault.Fail(WorkCompletionStatus status, int vendorError) -> {
          return refuse(status, vendorError);
        }
      }
    }
    return execute(slot);
  }

  private DeviceThread.Turn execute(int slot) {
    int length = queue.length(slot);
    long address = queue.address(slot);
    SoftMemoryRegion source = null;
    // The key of an empty message is not looked at (IBTA 9.7.4.1: no data, no check).
    if (length > 0) {
      source = device.keys().local(queue.localKey(slot));
      VendorError error =
          source == null
              ? VendorError.UNKNOWN_KEY
              : source.acquire(owner.domain(), address, length, 0);
      if (error != VendorError.NONE) {
        return refuse(WorkCompletionStatus.LOC_PROT_ERR, error.code());
      }
    }
    Response response;
    try {
      response = transfer(slot, source, address, length);
    } finally {
      if (source != null) {
        source.release();
      }
    }
    if (response == Response.RNR_NAK && retryLater()) {
      return DeviceThread.Turn.LATER;
    }
    if (response != Response.ACK) {
      return refuse(response.status(), response.vendorError().code());
    }
    executed++;
    boolean behindOthers = queue.ordinal() < executed - 1;
    if (lateness > 0 || behindOthers) {
      hold(slot);
    } else {
      succeed();
    }
    return DeviceThread.Turn.AGAIN;
  }

  private void hold(int slot) {
    if (acknowledgedAt.length == 0) {
      acknowledgedAt = new long[queue.slots()];
    }
    acknowledgedAt[slot] = System.nanoTime() + lateness;
  }

  /** The request is refused; with that the requests before it are acknowledged (IBTA 9.7.5.1.2). */
  private DeviceThread.Turn refuse(WorkCompletionStatus status, int vendorError) {
    while (isHolding()) {
      succeed();
    }
    executed++;
    return fail(status, vendorError);
  }

  private Response transfer(int slot, @Nullable SoftMemoryRegion source, long address, int length) {
    LocalResponder responder = remote;
    if (responder == null) {
      return Response.SILENCE;
    }
    return switch (queue.opcode(slot)) {
      case SEND -> responder.receive(source, address, length);
      case RDMA_WRITE ->
          responder.write(
              source, address, length, queue.remoteAddress(slot), queue.remoteKey(slot));
    };
  }
}
