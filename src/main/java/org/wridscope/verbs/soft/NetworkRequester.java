// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The sending half of a queue pair whose peer is reached over a socket. Requests go out one behind
 * the other without waiting for answers; a message that finds no receive is sent again, and so is
 * all that went out behind it.
 */
final class NetworkRequester extends Requester {
  /** Messages in one system call. */
  static final int BATCH = 16;

  /** Bytes in one system call, unless one message alone has more. */
  private static final long BATCH_BYTES = 1 << 20;

  private static final long NEVER = Long.MAX_VALUE;

  private @Nullable NetworkLink link;

  /** The peer answers no more. */
  private boolean gone;

  /** The ordinal of the message that goes out next, or is going out. */
  private long next;

  /** Bytes of it that went out already. */
  private long sent;

  /** The ordinal of the first request that the fault plan has not been asked about. */
  private long undecided;

  /** How often the one before that is still to be told that the peer has no receive posted. */
  private int notReady;

  /** The ordinal of a request that does not go out before its time has come. */
  private long heldAt = NEVER;

  /** The ordinal of a request that fails, once all before it were answered. */
  private long failedAt = NEVER;

  private WorkCompletionStatus failure = WorkCompletionStatus.SUCCESS;
  private int failureCode;

  /** That request fails because the cable is cut then. */
  private boolean cutThere;

  // What is offered to the socket.
  private final ByteBuffer[] headers = new ByteBuffer[BATCH];
  private final @Nullable SoftMemoryRegion[] sources = new SoftMemoryRegion[BATCH];
  private int gathered;

  NetworkRequester(SoftQueuePair owner, WorkQueue queue, SoftCompletionQueue completions) {
    super(owner, queue, completions);
    ByteBuffer memory = ByteBuffer.allocateDirect(BATCH * Frame.HEADER_BYTES);
    for (int i = 0; i < BATCH; i++) {
      headers[i] = memory.slice(i * Frame.HEADER_BYTES, Frame.HEADER_BYTES);
    }
  }

  /** Before the queue pair enters RTS. */
  void plug(NetworkLink link) {
    this.link = link;
  }

  /** The peer answers no more: what is outstanding, or posted from now on, fails. */
  void peerIsGone() {
    gone = true;
    device.thread().attend(owner);
  }

  @Override
  boolean hasWork() {
    if (queue.isEmpty()) {
      return false;
    }
    if (gone || queue.ordinal() == failedAt) {
      return true;
    }
    if (link == null || link.isBlocked()) {
      return false;
    }
    return sent > 0 || (next < queue.posted() && next != failedAt && !isHeld());
  }

  /** Whether the next message waits for its time. */
  boolean isHeld() {
    return next == heldAt && isWaiting();
  }

  @Override
  DeviceThread.Turn step() {
    NetworkLink socket = link;
    if (queue.isEmpty() || socket == null) {
      return DeviceThread.Turn.IDLE;
    }
    if (!gone) {
      socket.write();
    }
    if (gone) {
      stopWaiting();
      return fail(Response.SILENCE);
    }
    if (queue.ordinal() == failedAt) {
      if (cutThere) {
        cutThere = false;
        failedAt = NEVER;
        socket.abort();
        return DeviceThread.Turn.AGAIN;
      }
      return fail(failure, failureCode);
    }
    if (isHeld()) {
      return DeviceThread.Turn.LATER;
    }
    return hasWork() ? DeviceThread.Turn.AGAIN : DeviceThread.Turn.IDLE;
  }

  @Override
  void flush() {
    abandon();
    super.flush();
    next = queue.ordinal();
  }

  /** A message may be on its way out, and the link is its thread's. */
  @Override
  boolean restsBetweenTurns() {
    return false;
  }

  @Override
  void abandon() {
    if (sent > 0 && link != null) {
      sent = 0;
      link.breakOff();
    }
  }

  // --------------------------------------------------------------------------------- answers

  /** The peer has answered the message with this sequence number, and all before it. */
  void answered(Response response, long sequence) throws BrokenStreamException {
    if (owner.state() != QueuePairState.RTS) {
      return;
    }
    // A message may be refused before all of it went out, but not be executed.
    boolean known =
        sequence >= queue.ordinal()
            && (sequence < next || (sequence == next && sent > 0 && response != Response.ACK));
    if (!known) {
      throw new BrokenStreamException(
          "it answers message %d, unanswered are %d to %d"
              .formatted(sequence, queue.ordinal(), next - 1));
    }
    while (queue.ordinal() < sequence) {
      succeed();
    }
    if (response == Response.ACK) {
      succeed();
      return;
    }
    if (sent > 0) {
      // The peer takes nothing of what it finds behind a message that it refused.
      if (link != null) {
        link.fill(Frame.HEADER_BYTES + queue.length(queue.slot(next)) - sent);
      }
      sent = 0;
    }
    next = sequence;
    if (response == Response.RNR_NAK && retryLater()) {
      heldAt = next;
    } else {
      fail(response);
    }
  }

  // --------------------------------------------------------------------------------- sending

  /** Whether a message has gone out in part. */
  boolean isInFrame() {
    return sent > 0;
  }

  /** Offers what is left of the message that is going out. */
  int gatherRest(ByteBuffer[] into) {
    int slot = queue.slot(next);
    int length = queue.length(slot);
    int count = 0;
    if (sent < Frame.HEADER_BYTES) {
      into[count++] = header(slot, next, 0).position((int) sent);
    }
    int done = (int) Math.max(0, sent - Frame.HEADER_BYTES);
    if (length > done) {
      SoftMemoryRegion source = device.keys().local(queue.localKey(slot));
      long address = queue.address(slot) + done;
      if (source == null
          || source.acquire(owner.domain(), address, length - done, 0) != VendorError.NONE) {
        // It was deregistered in the middle of a message.
        breakDown();
        return 0;
      }
      sources[0] = source;
      gathered = 1;
      into[count++] = source.view(address, length - done);
    }
    return count;
  }

  /** Offers messages that were not begun yet, after what is there already. */
  int gather(ByteBuffer[] into, int already) {
    int count = already;
    long bytes = 0;
    gathered = 0;
    if (gone || owner.state() != QueuePairState.RTS) {
      return count;
    }
    long posted = queue.posted();
    for (long at = next; at < posted && gathered < BATCH && bytes < BATCH_BYTES; at++) {
      if (at == failedAt || (at == heldAt && isWaiting()) || !decide(at)) {
        break;
      }
      int slot = queue.slot(at);
      int length = queue.length(slot);
      SoftMemoryRegion source = null;
      // The key of an empty message is not looked at (IBTA 9.7.4.1: no data, no check).
      if (length > 0) {
        source = device.keys().local(queue.localKey(slot));
        VendorError error =
            source == null
                ? VendorError.UNKNOWN_KEY
                : source.acquire(owner.domain(), queue.address(slot), length, 0);
        if (source == null || error != VendorError.NONE) {
          failAt(at, WorkCompletionStatus.LOC_PROT_ERR, error.code());
          break;
        }
      }
      into[count++] = header(slot, at, gathered);
      sources[gathered++] = source;
      if (source != null) {
        into[count++] = source.view(queue.address(slot), length);
      }
      bytes += length;
    }
    return count;
  }

  private ByteBuffer header(int slot, long ordinal, int index) {
    ByteBuffer header = headers[index].clear();
    boolean write = queue.opcode(slot) == SendRequest.Opcode.RDMA_WRITE;
    Frame.encode(
        header,
        write ? Frame.Type.RDMA_WRITE : Frame.Type.SEND,
        0,
        queue.length(slot),
        ordinal,
        write ? queue.remoteAddress(slot) : 0,
        write ? queue.remoteKey(slot) : 0);
    return header.flip();
  }

  /** Asks the fault plan about a request, once; false when it does not go out now. */
  private boolean decide(long ordinal) {
    if (ordinal < undecided) {
      return notReady == 0 || ordinal < undecided - 1 || !refuseOnce(ordinal);
    }
    undecided = ordinal + 1;
    int slot = queue.slot(ordinal);
    Fault fault =
        device
            .faultPlan()
            .decide(owner.number(), ordinal, queue.opcode(slot), queue.workRequestId(slot));
    switch (fault) {
      case Fault.Proceed() -> {
        return !takesTime(ordinal, slot);
      }
      case Fault.HoldCompletion hold -> {
        hold(ordinal, hold);
        return !takesTime(ordinal, slot);
      }
      case Fault.ReceiverNotReady(int times) -> {
        notReady = times;
        return !refuseOnce(ordinal);
      }
      case Fault.Fatal() -> owner.fail();
      case Fault.Cut() -> {
        failedAt = ordinal;
        cutThere = true;
      }
      case Fault.Delay(long nanos) -> {
        heldAt = ordinal;
        waitFor(nanos);
      }
      case Fault.Fail(WorkCompletionStatus status, int vendorError) ->
          failAt(ordinal, status, vendorError);
    }
    return false;
  }

  /** Has the message wait for as long as a slow link takes for it. */
  private boolean takesTime(long ordinal, int slot) {
    long wire = device.faultPlan().wireNanos(queue.length(slot));
    if (wire > 0) {
      heldAt = ordinal;
      waitFor(wire);
    }
    return wire > 0;
  }

  /** Has the message wait as if the peer had no receive posted. Returns whether it does. */
  private boolean refuseOnce(long ordinal) {
    notReady--;
    if (retryLater()) {
      heldAt = ordinal;
    } else {
      failAt(ordinal, Response.RNR_NAK.status(), Response.RNR_NAK.vendorError().code());
    }
    return true;
  }

  private void failAt(long ordinal, WorkCompletionStatus status, int vendorError) {
    failedAt = ordinal;
    failure = status;
    failureCode = vendorError;
  }

  private void breakDown() {
    if (link != null) {
      link.abort();
    }
  }

  /** So many bytes of what was offered went out. */
  void settle(long bytes) {
    long left = bytes;
    while (left > 0) {
      long rest = Frame.HEADER_BYTES + queue.length(queue.slot(next)) - sent;
      if (left < rest) {
        sent += left;
        return;
      }
      left -= rest;
      sent = 0;
      next++;
    }
  }

  /** What was offered is needed no more. */
  void releaseSources() {
    for (int i = 0; i < gathered; i++) {
      SoftMemoryRegion source = sources[i];
      if (source != null) {
        source.releaseViews();
        source.release();
        sources[i] = null;
      }
    }
    gathered = 0;
  }

  /**
   * Memory of what was offered was freed while it is registered; nothing of it went out.
   *
   * @return false when it was that of a message which has gone out in part
   */
  boolean memoryIsGone() {
    for (int i = 0; i < gathered; i++) {
      SoftMemoryRegion source = sources[i];
      if (source != null && !source.isAlive()) {
        if (sent > 0) {
          return false;
        }
        failAt(next + i, WorkCompletionStatus.LOC_PROT_ERR, VendorError.MEMORY_FAULT.code());
        return true;
      }
    }
    return false;
  }
}
