// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.QueuePairState;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The sending half of a queue pair whose peer is reached over a socket. Requests are sent one after
 * the other without waiting for answers; a message that finds no receive is repeated together with
 * everything that was sent after it.
 */
final class NetworkRequester extends Requester {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkRequester.class);

  /** Messages in one system call. */
  static final int BATCH = 16;

  /** Bytes in one system call, unless one message alone has more. */
  private static final long BATCH_BYTES = 1 << 20;

  private static final long NEVER = Long.MAX_VALUE;

  private @Nullable NetworkLink link;
  private @Nullable LinkWriter writer;

  /** The peer does not answer any more. */
  private boolean gone;

  /** The ordinal of the message that is sent next, or partly sent. */
  private long next;

  /** Bytes of it that were sent. */
  private long sent;

  /** The ordinal of the first request that the fault plan has not decided about. */
  private long undecided;

  /** How often the request before that is still to be answered with RNR NAK by the fault plan. */
  private int notReady;

  /** The ordinal of a request that is not sent before its time. */
  private long heldAt = NEVER;

  /** The ordinal of a request that fails once all before it were answered. */
  private long failedAt = NEVER;

  private WorkCompletionStatus failure = WorkCompletionStatus.SUCCESS;
  private int failureCode;

  /** Instead of failing that request the connection is cut. */
  private boolean cutThere;

  // Messages that are offered to the socket.
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
  void attach(NetworkLink link) {
    this.link = link;
    writer = link.writer();
  }

  /** The peer does not answer any more: outstanding and later requests fail. */
  void peerIsGone() {
    gone = true;
    device.processor().scheduleNow(owner);
  }

  @Override
  boolean hasWork() {
    if (queue.isEmpty()) {
      return false;
    }
    if (gone || queue.ordinal() == failedAt) {
      return true;
    }
    if (writer == null || writer.isBlocked()) {
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

  /** A message may be partly sent, and only the thread may use the link. */
  @Override
  boolean isIdleBetweenTurns() {
    return false;
  }

  @Override
  void abandon() {
    if (sent > 0 && writer != null) {
      sent = 0;
      writer.end();
    }
  }

  // --------------------------------------------------------------------------------- answers

  /** The peer answered the message with this sequence number and all before it. */
  void answered(Response response, long sequence) throws BrokenStreamException {
    if (owner.state() != QueuePairState.RTS) {
      return;
    }
    // A message may be refused before all of it was sent, but not executed.
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
      // The peer ignores the rest of a message that it refused.
      if (writer != null) {
        writer.fill(Frame.HEADER_BYTES + queue.length(queue.slot(next)) - sent);
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

  /** Whether a message was partly sent. */
  boolean isInFrame() {
    return sent > 0;
  }

  /** Offers the rest of the message that was partly sent. */
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
          || SoftMemoryRegion.acquire(source, owner.domain(), address, length - done, 0)
              != VendorError.NONE) {
        // The memory was deregistered in the middle of a message.
        breakDown();
        return 0;
      }
      sources[0] = source;
      gathered = 1;
      into[count++] = source.view(address, length - done);
    }
    return count;
  }

  /** Offers messages that were not begun yet, behind the buffers that are there already. */
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
      // The key of an empty message is not checked (IBTA 9.7.4.1).
      if (length > 0) {
        source = device.keys().local(queue.localKey(slot));
        VendorError error =
            SoftMemoryRegion.acquire(source, owner.domain(), queue.address(slot), length, 0);
        if (error != VendorError.NONE) {
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

  /** Lets the fault plan decide about a request, once; false when it is not sent now. */
  private boolean decide(long ordinal) {
    if (ordinal < undecided) {
      boolean refused = notReady > 0 && ordinal == undecided - 1;
      if (refused) {
        refuseOnce(ordinal);
      }
      return !refused;
    }
    undecided = ordinal + 1;
    int slot = queue.slot(ordinal);
    switch (decideFault(ordinal)) {
      case Fault.Proceed() -> {
        return !takesTime(ordinal, slot);
      }
      case Fault.Event(AsyncEventType type) -> {
        owner.report(type);
        return !takesTime(ordinal, slot);
      }
      case Fault.HoldCompletion hold -> {
        hold(ordinal, hold);
        return !takesTime(ordinal, slot);
      }
      case Fault.Retransmit _ -> {
        LOG.error(
            "{}: the fault 'retransmit' is only for devices within one process: TCP sends again"
                + " what the kernel has copied, and never reads registered memory twice",
            device.name());
        failAt(ordinal, WorkCompletionStatus.LOC_QP_OP_ERR, VendorError.FAULT_NOT_SUPPORTED.code());
      }
      case Fault.ReceiverNotReady(int times) -> {
        notReady = times;
        refuseOnce(ordinal);
      }
      case Fault.Fatal fatal -> owner.fail(fatal);
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

  /** Delays the message by the time that a slow link takes; returns whether it does. */
  private boolean takesTime(long ordinal, int slot) {
    long wire = device.faultPlan().wireNanos(queue.length(slot));
    if (wire > 0) {
      heldAt = ordinal;
      waitFor(wire);
    }
    return wire > 0;
  }

  /** Delays or fails the message as if the peer had no receive posted. */
  private void refuseOnce(long ordinal) {
    notReady--;
    if (retryLater()) {
      heldAt = ordinal;
    } else {
      failAt(ordinal, Response.RNR_NAK.status(), Response.RNR_NAK.vendorError().code());
    }
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

  /** This many bytes of the offered messages were sent. */
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

  /** Releases the memory of the offered messages. */
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
   * Memory of an offered message was freed although it is registered: the message fails.
   *
   * @return false when the message was partly sent
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
