// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.WorkCompletionStatus;

/** The sending half of a queue pair whose peer is in this process: it calls the other half. */
final class LocalRequester extends Requester {
  private volatile @Nullable LocalResponder remote;
  private final LocalConnection connection;

  /** Who sees what is sent, and which end this is; set before the queue pair enters RTS. */
  private WireTap.@Nullable Line line;

  private boolean client;

  /** Messages that are shown and whose acknowledgement is still to come, by slot. */
  private WireTap.@Nullable Carriage[] carriages = {};

  private final DeviceStep cutting;

  /** The ordinal of the oldest request that the fault plan has not decided about. */
  private long undecided;

  /** How often the oldest request is still to be answered with RNR NAK by the fault plan. */
  private int notReady;

  /** Digests of what unacknowledged requests sent, by slot. */
  private long[] digests = new long[0];

  LocalRequester(
      LocalConnection connection,
      SoftQueuePair owner,
      WorkQueue queue,
      SoftCompletionQueue completions) {
    super(owner, queue, completions);
    this.connection = connection;
    cutting = new DeviceStep(owner, DeviceStep.Kind.CUT, () -> -1, connection::cut);
  }

  /** Before the queue pair enters RTS. */
  void setPeer(LocalResponder remote) {
    this.remote = remote;
  }

  /** Before the queue pair enters RTS. */
  void setLine(WireTap.Line tapped, boolean asClient) {
    line = tapped;
    client = asClient;
    carriages = new WireTap.Carriage[queue.slots()];
    queue.watch(ordinal -> tapped.polled(asClient, ordinal));
  }

  /** Cuts the cable to the peer: requests get no answer from now on. */
  void cut() {
    remote = null;
  }

  @Override
  void addOthers(List<? super DeviceStep> others) {
    super.addOthers(others);
    // The other end of the cable does not offer it again.
    if (connection.isClient() && remote != null) {
      others.add(cutting);
    }
  }

  @Override
  boolean hasWork() {
    return !queue.isEmpty();
  }

  @Override
  boolean isIdleBetweenTurns() {
    return true;
  }

  @Override
  void abandon() {
    // Nothing is in progress between two turns.
  }

  /** Executes the oldest request. */
  @Override
  DeviceThread.Turn step() {
    if (queue.isEmpty()) {
      return DeviceThread.Turn.IDLE;
    }
    if (owner.state() != QueuePairState.RTS) {
      // It failed during this turn; what was posted after that is flushed, not executed.
      return DeviceThread.Turn.AGAIN;
    }
    if (isWaiting()) {
      return DeviceThread.Turn.LATER;
    }
    int slot = queue.slot();
    if (undecided == queue.ordinal()) {
      undecided++;
      switch (decideFault(queue.ordinal())) {
        case Fault.Proceed() -> {}
        case Fault.Cut() -> connection.cut();
        case Fault.Delay(long nanos) -> {
          return waitFor(nanos);
        }
        case Fault.Fail(WorkCompletionStatus status, int vendorError) -> {
          return fail(status, vendorError);
        }
        case Fault.Held held -> hold(queue.ordinal(), held);
        case Fault.ReceiverNotReady(int times) -> notReady = times;
        case Fault.Event(AsyncEventType type) -> owner.report(type);
        case Fault.Fatal fatal -> {
          owner.fail(fatal);
          return DeviceThread.Turn.AGAIN;
        }
      }
      long wire = device.faultPlan().wireNanos(queue.length(slot));
      if (wire > 0) {
        return waitFor(wire);
      }
    }
    if (notReady > 0) {
      notReady--;
      expect(queue.ordinal(), show(queue.ordinal()), Response.RNR_NAK);
      return retryLater() ? DeviceThread.Turn.LATER : fail(Response.RNR_NAK);
    }
    return execute(slot);
  }

  private DeviceThread.Turn execute(int slot) {
    int length = queue.length(slot);
    long address = queue.address(slot);
    SoftMemoryRegion source = null;
    // The key of an empty message is not checked (IBTA 9.7.4.1).
    if (length > 0) {
      source = device.keys().local(queue.localKey(slot));
      VendorError error = SoftMemoryRegion.acquire(source, owner.domain(), address, length, 0);
      if (error != VendorError.NONE) {
        return fail(WorkCompletionStatus.LOC_PROT_ERR, error.code());
      }
    }
    Response response;
    try {
      response = transfer(slot, source, address, length);
      if (response == Response.ACK && mayBeSentAgain()) {
        noteDigest(slot, digest(source, address, length));
      }
    } finally {
      if (source != null) {
        source.release();
      }
    }
    if (response == Response.RNR_NAK && retryLater()) {
      return DeviceThread.Turn.LATER;
    }
    if (response != Response.ACK) {
      return fail(response);
    }
    succeed();
    return DeviceThread.Turn.AGAIN;
  }

  private static long digest(@Nullable SoftMemoryRegion source, long address, int length) {
    return source == null ? 0 : source.digest(address, length);
  }

  private void noteDigest(int slot, long digest) {
    if (digests.length == 0) {
      digests = new long[queue.slots()];
    }
    digests[slot] = digest;
  }

  @Override
  boolean resend(long ordinal) {
    int slot = queue.slot(ordinal);
    int length = queue.length(slot);
    long address = queue.address(slot);
    long digest = 0;
    if (length > 0) {
      SoftMemoryRegion source = device.keys().local(queue.localKey(slot));
      VendorError error = SoftMemoryRegion.acquire(source, owner.domain(), address, length, 0);
      if (source != null && error == VendorError.NONE) {
        digest = source.digest(address, length);
        source.release();
        error = digest < 0 ? VendorError.MEMORY_FAULT : VendorError.NONE;
      }
      if (error != VendorError.NONE) {
        report(ordinal, FaultPlan.Resent.NOTHING);
        failExecuted(ordinal, WorkCompletionStatus.LOC_PROT_ERR, error.code());
        return false;
      }
    }
    report(ordinal, digest == digests[slot] ? FaultPlan.Resent.SAME : FaultPlan.Resent.OTHER);
    LocalResponder responder = remote;
    Response response = responder == null ? Response.SILENCE : responder.repeat();
    // That of the earlier attempt was lost.
    answered(ordinal, false);
    expect(ordinal, show(ordinal), response);
    if (response != Response.ACK) {
      failExecuted(ordinal, response.status(), response.vendorError().code());
      return false;
    }
    return true;
  }

  private void report(long ordinal, FaultPlan.Resent what) {
    int slot = queue.slot(ordinal);
    device
        .faultPlan()
        .resent(owner.number(), ordinal, queue.workRequestId(slot), queue.length(slot), what);
  }

  private Response transfer(int slot, @Nullable SoftMemoryRegion source, long address, int length) {
    WireTap.Carriage carriage = show(queue.ordinal());
    Response response = carry(slot, source, address, length);
    expect(queue.ordinal(), carriage, response);
    return response;
  }

  /** Shows a negative acknowledgement now; a positive one comes when its request completes. */
  private void expect(long ordinal, WireTap.@Nullable Carriage carriage, Response response) {
    if (carriage != null && response == Response.ACK) {
      carriages[queue.slot(ordinal)] = carriage;
    } else if (carriage != null) {
      carriage.answered(response.syndrome());
    }
  }

  @Override
  void answered(long ordinal, boolean arrives) {
    if (line == null) {
      return;
    }
    int slot = queue.slot(ordinal);
    WireTap.Carriage carriage = carriages[slot];
    carriages[slot] = null;
    if (carriage != null) {
      carriage.answered(arrives ? Response.ACK.syndrome() : Response.NO_PACKET);
    }
  }

  private WireTap.@Nullable Carriage show(long ordinal) {
    WireTap.Line tapped = line;
    if (tapped == null) {
      return null;
    }
    int slot = queue.slot(ordinal);
    int length = queue.length(slot);
    return tapped.carries(
        client,
        ordinal,
        queue.opcode(slot),
        queue.postedAt(slot),
        length,
        queue.remoteAddress(slot),
        queue.remoteKey(slot),
        into -> {
          SoftMemoryRegion source = device.keys().local(queue.localKey(slot));
          return source != null && source.copyTo(into, queue.address(slot));
        });
  }

  private Response carry(int slot, @Nullable SoftMemoryRegion source, long address, int length) {
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
