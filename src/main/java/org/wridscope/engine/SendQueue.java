// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The send queue of an endpoint, with strict accounting: each request has a {@link SendContext}
 * from its post until a completion covers it, and only then are the resources of the request
 * released. An answer of the peer does not suffice: the device may still be retransmitting the
 * request.
 *
 * <p>Every control message is signaled, and one in {@link #SIGNAL_INTERVAL} RDMA WRITEs. The
 * requests of a send queue complete in order, so the completion of a signaled one covers all before
 * it (IBTA 10.8.6).
 */
final class SendQueue {
  /**
   * One of this many RDMA WRITEs is signaled. Each completion costs the device a write to the
   * completion queue, and this side a poll; with 16 these costs are negligible, and with more,
   * contexts would only be in use longer. The upper bound is {@link #mostBetweenSignals}.
   */
  static final int SIGNAL_INTERVAL = 16;

  /** Notified of requests that a completion has covered. */
  interface Listener {
    /**
     * An RDMA WRITE has ended.
     *
     * @param length bytes of the request
     * @param arrived whether it is known to have succeeded
     */
    void written(ChunkTable table, int chunk, int length, boolean arrived);

    /**
     * The SEND of a control message has ended, and its buffer is free.
     *
     * @param length bytes of the request
     * @param arrived whether its SEND succeeded
     */
    void sent(int buffer, int length, boolean arrived);
  }

  private final QueuePair queuePair;
  private final SendContextRing ring;

  /** Contexts reserved for control messages, however many RDMA WRITEs are outstanding. */
  private final int reserved;

  private final int interval;
  private Listener listener = new Nobody();

  /** RDMA WRITEs since the last signaled request. */
  private int unsignaled;

  private boolean signalDemanded;
  private int writesOutstanding;
  private long bytesOutstanding;
  private boolean failed;

  /** A send queue with the default signaling interval. */
  SendQueue(QueuePair queuePair, QueueDepths depths) {
    this(queuePair, depths, Math.min(SIGNAL_INTERVAL, mostBetweenSignals(depths)));
  }

  /**
   * @param interval one of this many RDMA WRITEs is signaled, 1 to {@link #mostBetweenSignals}
   */
  SendQueue(QueuePair queuePair, QueueDepths depths, int interval) {
    if (interval < 1 || interval > mostBetweenSignals(depths)) {
      throw new IllegalArgumentException(
          "signaling interval %d: 1 to %3$d are allowed with a send queue of %2$d"
              .formatted(interval, depths.sends(), mostBetweenSignals(depths)));
    }
    this.queuePair = queuePair;
    ring = new SendContextRing(depths.sends());
    reserved = depths.messages();
    this.interval = interval;
  }

  /**
   * The largest interval for a queue: a quarter of the RDMA WRITEs that may be outstanding, so that
   * the others keep the link busy while a quarter waits for its completion, and the queue cannot
   * fill with unsignaled requests, which never complete.
   */
  static int mostBetweenSignals(QueueDepths depths) {
    return Math.max(1, depths.writes() / 4);
  }

  void setListener(Listener listener) {
    this.listener = listener;
  }

  /** Whether an RDMA WRITE can be posted. */
  boolean hasRoomForWrite() {
    return ring.free() > reserved;
  }

  /** Number of RDMA WRITEs that no completion has covered. */
  int writesOutstanding() {
    return writesOutstanding;
  }

  /** Bytes of the RDMA WRITEs that no completion has covered. */
  long bytesOutstanding() {
    return bytesOutstanding;
  }

  /** Whether there is a request that no completion has covered. */
  boolean isOutstanding() {
    return ring.inUse() > 0;
  }

  /** Number of requests posted so far. */
  long posted() {
    return ring.taken();
  }

  /** Whether the last RDMA WRITEs are unsignaled, so that only a later request completes them. */
  boolean isBatchOpen() {
    return unsignaled > 0;
  }

  /** Signals the next RDMA WRITE, because a chunk in the open batch is waited for. */
  void demandSignal() {
    signalDemanded = true;
  }

  /**
   * Posts an RDMA WRITE, for which there must be {@linkplain #hasRoomForWrite room}.
   *
   * @param last whether no other may follow for a while, so that this one has to be signaled
   * @param also to be released when it has ended, if anything
   * @return whether it is signaled
   */
  boolean postWrite(
      SendRequest request,
      ChunkTable table,
      int chunk,
      boolean last,
      SendContext.@Nullable Held also)
      throws VerbsException {
    boolean signaled = last || signalDemanded || unsignaled + 1 >= interval;
    SendContext context = take(request);
    context.write(request.workRequestId(), signaled, table, chunk, request.length(), also);
    post(request.signaled(signaled));
    unsignaled = signaled ? 0 : unsignaled + 1;
    signalDemanded &= !signaled;
    writesOutstanding++;
    bytesOutstanding += request.length();
    table.posted(chunk);
    return signaled;
  }

  /** Posts the SEND of a control message from a buffer. */
  void postMessage(SendRequest request, int buffer) throws VerbsException {
    take(request).message(request.workRequestId(), buffer, request.length());
    post(request);
    unsignaled = 0;
  }

  private SendContext take(SendRequest request) {
    SendContext context = ring.take();
    if (context == null) {
      throw new IllegalStateException(
          "no send context is free for " + WorkRequestId.describe(request.workRequestId()));
    }
    return context;
  }

  private void post(SendRequest request) throws VerbsException {
    boolean posted = false;
    try {
      queuePair.postSend(request);
      posted = true;
    } finally {
      if (!posted) {
        ring.untake();
      }
    }
  }

  /**
   * Puts back the contexts that a completion of the send queue covers.
   *
   * <p>A request that succeeds completes only if it is signaled. One that fails always completes,
   * and so does each one after it, as flushed; all before it have succeeded.
   *
   * @throws IOException if a resource could not be released; all others were
   * @throws IllegalStateException if no request can complete now with this work request id
   */
  void completed(WorkCompletion completion) throws IOException {
    boolean ok = completion.status() == WorkCompletionStatus.SUCCESS;
    failed |= !ok;
    int before = find(completion.workRequestId());
    Throwable failure = cover(before, true, null);
    FirstFailure.rethrow(cover(1, ok, failure));
  }

  /**
   * Number of requests before the one that has completed.
   *
   * <p>After a failure several may have its work request id, those of writes to the same chunk, and
   * the first of them is chosen. If it was another one, fewer completions follow than there are
   * contexts, and {@link #settle} puts the rest back.
   */
  private int find(long workRequestId) {
    SendContext context;
    for (int behind = 0; (context = ring.peek(behind)) != null; behind++) {
      boolean same = context.workRequestId() == workRequestId;
      if (failed ? same : context.signaled()) {
        if (same) {
          return behind;
        }
        break;
      }
    }
    throw new IllegalStateException(
        "%s completed, expected was %s"
            .formatted(
                WorkRequestId.describe(workRequestId),
                context == null ? "nothing" : WorkRequestId.describe(context.workRequestId())));
  }

  /**
   * Puts back the oldest contexts, whatever cannot be released, since no other completion will
   * cover them.
   *
   * @return the first failure, including the one before
   */
  private @Nullable Throwable cover(
      int contexts, boolean arrived, @Nullable Throwable failureBefore) {
    Throwable failure = failureBefore;
    for (int i = 0; i < contexts; i++) {
      try {
        cover(arrived);
      } catch (IOException | RuntimeException | Error e) {
        failure = FirstFailure.of(failure, e);
      }
    }
    return failure;
  }

  private void cover(boolean arrived) throws IOException {
    SendContext context = ring.oldest();
    if (context == null) {
      throw new IllegalStateException("more requests completed than were posted");
    }
    ChunkTable table = context.table();
    int index = context.chunk();
    int length = context.length();
    SendContext.Held held = context.takeHeld();
    ring.putBack();
    try {
      if (table == null) {
        listener.sent(index, length, arrived);
      } else {
        writesOutstanding--;
        bytesOutstanding -= length;
        table.completed(index, arrived);
        listener.written(table, index, length, arrived);
      }
    } finally {
      if (held != null) {
        held.release(arrived);
      }
    }
  }

  /**
   * Puts contexts back as if a completion had covered them.
   *
   * @param until how many requests had been posted when the last of these was
   * @param contexts gets each of them before
   * @throws IOException if a resource could not be released; all others were
   */
  void release(long until, Consumer<SendContext> contexts) throws IOException {
    int count = (int) Math.max(0, until - (ring.taken() - ring.inUse()));
    for (int behind = 0; behind < count; behind++) {
      SendContext context = ring.peek(behind);
      if (context != null) {
        contexts.accept(context);
      }
    }
    FirstFailure.rethrow(cover(count, true, null));
  }

  /**
   * Puts all contexts back after the queue pair was destroyed, when no completion can come. There
   * may be some after a failure of one of several requests with the same id, or if not every
   * request had completed before.
   */
  void settle() throws IOException {
    FirstFailure.rethrow(cover(ring.inUse(), false, null));
  }

  private static final class Nobody implements Listener {
    @Override
    public void written(ChunkTable table, int chunk, int length, boolean arrived) {}

    @Override
    public void sent(int buffer, int length, boolean arrived) {}
  }
}
