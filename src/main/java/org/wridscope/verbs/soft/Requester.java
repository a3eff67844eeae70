// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionOpcode;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending half of a queue pair (IBTA 9.9.2). All but the connecting runs on its device. */
final class Requester {
  /** Retry for ever; see {@code rdma_connect(3)}. */
  private static final int ENDLESS = 7;

  /** The RNR NAK timer with code 12 (IBTA table "Encoding for RNR NAK timer field"). */
  private static final long RNR_TIMER_NANOS = 640_000;

  private final SoftQueuePair owner;
  private final SoftDevice device;
  private final WorkQueue queue;
  private final SoftCompletionQueue completions;

  private volatile @Nullable Responder remote;
  private int rnrRetries;
  private int rnrRetriesLeft;

  /** Whether the fault plan has been asked about the oldest request. */
  private boolean decided;

  private boolean waiting;
  private long dueAt;

  Requester(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    this.owner = owner;
    this.device = owner.device();
    this.queue = queue;
    this.completions = completions;
  }

  /** Before the queue pair enters RTS. */
  void connect(Responder remote, int rnrRetries) {
    this.remote = remote;
    this.rnrRetries = rnrRetries;
    rnrRetriesLeft = rnrRetries;
  }

  void cut() {
    remote = null;
  }

  long dueAt() {
    return dueAt;
  }

  /** Executes the oldest request. */
  DeviceThread.Turn step() {
    if (queue.isEmpty()) {
      return DeviceThread.Turn.IDLE;
    }
    if (waiting) {
      if (dueAt - System.nanoTime() > 0) {
        return DeviceThread.Turn.LATER;
      }
      waiting = false;
    }
    int slot = queue.slot();
    if (!decided) {
      decided = true;
      Fault fault =
          device
              .faultPlan()
              .decide(
                  owner.number(), queue.ordinal(), queue.opcode(slot), queue.workRequestId(slot));
      switch (fault) {
        case Fault.Proceed() -> {}
        case Fault.Cut() -> owner.connection().cut();
        case Fault.Delay(long nanos) -> {
          return waitFor(nanos);
        }
        case Fault.Fail(WorkCompletionStatus status, int vendorError) -> {
          return fail(slot, status, vendorError);
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
        return fail(slot, WorkCompletionStatus.LOC_PROT_ERR, error.code());
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
    if (response == Response.RNR_NAK && (rnrRetries == ENDLESS || rnrRetriesLeft-- > 0)) {
      return waitFor(RNR_TIMER_NANOS);
    }
    if (response != Response.ACK) {
      return fail(slot, response.status(), response.vendorError().code());
    }
    rnrRetriesLeft = rnrRetries;
    if (queue.signaled(slot)) {
      complete(slot, WorkCompletionStatus.SUCCESS, 0);
    } else {
      take();
    }
    return DeviceThread.Turn.AGAIN;
  }

  private Response transfer(int slot, @Nullable SoftMemoryRegion source, long address, int length) {
    Responder responder = remote;
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

  private DeviceThread.Turn waitFor(long nanos) {
    waiting = true;
    dueAt = System.nanoTime() + nanos;
    return DeviceThread.Turn.LATER;
  }

  /** The first error: it completes this request, the error state flushes the others. */
  private DeviceThread.Turn fail(int slot, WorkCompletionStatus status, int vendorError) {
    owner.enterError();
    complete(slot, status, vendorError);
    return DeviceThread.Turn.AGAIN;
  }

  /** Completes all requests as flushed, in order. */
  void flush() {
    while (!queue.isEmpty()) {
      complete(queue.slot(), WorkCompletionStatus.WR_FLUSH_ERR, 0);
    }
  }

  private void complete(int slot, WorkCompletionStatus status, int vendorError) {
    long ordinal = queue.ordinal();
    take();
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

  private void take() {
    queue.take();
    decided = false;
  }
}
