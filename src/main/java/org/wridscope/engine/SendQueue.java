// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * The send queue of an endpoint, strictly accounted: each request has a {@link SendContext} from
 * its post to the completion that covers it, and only then is released what the request needs.
 * Never because the peer answered: the device may still be repeating a request whose answer is
 * there.
 *
 * <p>Control messages are signaled, and of RDMA WRITEs one in every {@link #SIGNAL_INTERVAL}. The
 * requests of a send queue complete in order, so that the completion of a signaled one covers all
 * before it (IBTA 10.8.6).
 */
final class SendQueue {
  /**
   * Every so many RDMA WRITEs one is signaled. Each completion costs the device a write to the
   * completion queue and us a poll, and at 16 little is left of that; more would only hold up
   * contexts. The upper bound is {@link #mostBetweenSignals}.
   */
  static final int SIGNAL_INTERVAL = 16;

  /** Who hears of requests that are covered. */
  interface Listener {
    /**
     * An RDMA WRITE is over.
     *
     * @param length its bytes
     * @param arrived whether it succeeded, as far as is known
     */
    void written(ChunkTable table, int chunk, int length, boolean arrived);

    /**
     * A control message left its buffer.
     *
     * @param length its bytes
     * @param arrived whether its SEND succeeded
     */
    void sent(int buffer, int length, boolean arrived);
  }

  private final QueuePair queuePair;
  private final SendContextRing ring;

  /** Contexts kept for control messages, so that one can leave however many writes are out. */
  private final int reserved;

  private final int interval;
  private Listener listener = new Nobody();

  /** RDMA WRITEs since the last signaled request. */
  private int unsignaled;

  private boolean signalDemanded;
  private int writesOutstanding;
  private long bytesOutstanding;
  private boolean failed;

  /** One that has as many requests signaled as is good. */
  SendQueue(QueuePair queuePair, QueueDepths depths) {
    this(queuePair, depths, Math.min(SIGNAL_INTERVAL, mostBetweenSignals(depths)));
  }

  /**
   * @param interval of how many RDMA WRITEs one is signaled, 1 to {@link #mostBetweenSignals}
   */
  SendQueue(QueuePair queuePair, QueueDepths depths, int interval) {
    if (interval < 1 || interval > mostBetweenSignals(depths)) {
      throw new IllegalArgumentException(
          "a signal every %d requests, with a send queue of %d it is 1 to %d"
              .formatted(interval, depths.sends(), mostBetweenSignals(depths)));
    }
    this.queuePair = queuePair;
    ring = new SendContextRing(depths.sends());
    reserved = depths.messages();
    this.interval = interval;
  }

  /**
   * The largest interval for a queue: a quarter of what writes may occupy, so that three batches
   * keep the link busy while one waits for its completion, and the queue cannot fill with
   * unsignaled requests, which never complete.
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

  /** RDMA WRITEs that no completion has covered. */
  int writesOutstanding() {
    return writesOutstanding;
  }

  /** Bytes of the RDMA WRITEs that no completion has covered. */
  long bytesOutstanding() {
    return bytesOutstanding;
  }

  /** Whether no completion has covered some request. */
  boolean isOutstanding() {
    return ring.inUse() > 0;
  }

  /** Whether no completion will cover the last RDMA WRITEs unless another request follows. */
  boolean isBatchOpen() {
    return unsignaled > 0;
  }

  /** Somebody waits for a chunk that may be in the open batch: the next RDMA WRITE is signaled. */
  void demandSignal() {
    signalDemanded = true;
  }

  /**
   * Posts an RDMA WRITE; there must be {@linkplain #hasRoomForWrite room}.
   *
   * @param last whether none may follow for a while, so that this one has to be signaled
   * @param also what is to be released when it is over, besides the chunk's transit count
   * @return whether it was signaled
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
   * Takes back the contexts that a completion of the send queue covers.
   *
   * <p>A request that succeeds completes only when it is signaled. One that fails always does, and
   * so does each behind it, as flushed; those before it have succeeded.
   *
   * @throws IOException when something could not be released; all else was
   * @throws IllegalStateException when it is of no request that can complete now
   */
  void completed(WorkCompletion completion) throws IOException {
    boolean ok = completion.status() == WorkCompletionStatus.SUCCESS;
    failed |= !ok;
    int before = find(completion.workRequestId());
    Throwable failure = cover(before, true, null);
    FirstFailure.rethrow(cover(1, ok, failure));
  }

  /**
   * How many requests are before the one that has completed.
   *
   * <p>After a failure several may bear its work request id, writes to the same chunk, and the
   * first of them is taken. When it was another one, fewer completions follow than there are
   * contexts, and {@link #settle} takes the rest.
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
   * Takes back the oldest contexts, all of them, whatever cannot be released: no other completion
   * will cover them.
   *
   * @return the first failure, of those there were and this one's
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
   * When no further completion can come, since the queue pair is destroyed: takes back what is
   * left. After a failure that may be as many as had the same id as the one that failed; and a
   * device may not have told of each request before it was destroyed.
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
