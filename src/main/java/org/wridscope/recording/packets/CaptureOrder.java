// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.io.IOException;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.CaptureListener;
import org.wridscope.wire.Syndrome;
import org.wridscope.wire.WireConnection;
import org.wridscope.wire.WireRequest;

/**
 * Passes on what a capture shows in the order in which it happened. The packets of a request may
 * pass long after it was posted, which a capture of this program tells; and the first packet of a
 * request does not tell its length, nor whether it has immediate data. So a request is passed on
 * when all of it was seen, at the time of its post, or of its first packet if that is not known. It
 * ends when its completion was polled, which such a capture tells, too, otherwise when it was
 * answered.
 */
final class CaptureOrder implements CaptureListener {
  /** More are passed on early, without what is not known of them. */
  private static final int MOST_WAITING = 1 << 17;

  private final Sink sink;
  private final long lagNanos;
  private final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
  private final OpenCompletions open = new OpenCompletions();
  private long count;
  private long newest;

  /** Receives what a capture shows, ordered by time. */
  interface Sink extends CaptureListener {
    /** A SEND was posted whose packets were all seen. */
    default void posted(WireConnection connection, int end, WireRequest request, long nanos)
        throws IOException {}
  }

  @FunctionalInterface
  private interface Call {
    void make() throws IOException;
  }

  /**
   * A call that is still to be made.
   *
   * @param until the request that has to be seen whole before; null for none
   */
  private record Waiting(long nanos, long number, @Nullable WireRequest until, Call call)
      implements Comparable<Waiting> {
    @Override
    public int compareTo(Waiting other) {
      int byTime = Long.compare(nanos, other.nanos);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  /**
   * @param lagNanos the longest time from the post of a request to its first packet, and from its
   *     answer to the packet that tells when its completion was polled, as far as the capture tells
   *     these
   */
  CaptureOrder(Sink sink, long lagNanos) {
    this.sink = sink;
    this.lagNanos = lagNanos;
  }

  private static long posted(WireRequest request, long nanos) {
    return request.postedNanos() == 0 ? nanos : request.postedNanos();
  }

  private void add(long seen, long due, @Nullable WireRequest until, Call call) throws IOException {
    newest = Math.max(newest, seen);
    waiting.add(new Waiting(due, count++, until, call));
    while (isDue()) {
      waiting.remove().call.make();
    }
  }

  private boolean isDue() {
    Waiting next = waiting.peek();
    return next != null
        && (waiting.size() > MOST_WAITING
            || (next.nanos <= newest - lagNanos && (next.until == null || next.until.isSettled())));
  }

  /** The capture ends: passes on the rest. */
  void finish() throws IOException {
    for (Waiting next; (next = waiting.poll()) != null; ) {
      next.call.make();
    }
  }

  @Override
  public void began(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {
    long posted = posted(request, nanos);
    add(nanos, posted, request, () -> sink.began(connection, end, request, posted));
  }

  @Override
  public void sent(WireConnection connection, int end, WireRequest request, long nanos)
      throws IOException {
    long posted = posted(request, nanos);
    add(nanos, posted, null, () -> sink.posted(connection, end, request, posted));
    add(nanos, nanos, null, () -> sink.sent(connection, end, request, nanos));
  }

  @Override
  public void completed(
      WireConnection connection,
      int end,
      WireRequest request,
      WorkCompletionStatus status,
      long nanos)
      throws IOException {
    OpenCompletions.Answered answered = open.add(connection, end, request, nanos);
    add(
        nanos,
        nanos,
        null,
        () -> {
          long ended = answered.endNanos();
          Call call = () -> sink.completed(connection, end, request, status, ended);
          if (ended > nanos) {
            waiting.add(new Waiting(ended, count++, null, call));
          } else {
            call.make();
          }
        });
  }

  @Override
  public void polled(
      WireConnection connection, int end, WireRequest request, long nanos, long toldNanos) {
    open.polled(connection, end, request, nanos);
  }

  @Override
  public void repeated(
      WireConnection connection,
      int end,
      WireRequest request,
      boolean otherData,
      int psn,
      long nanos)
      throws IOException {
    add(nanos, nanos, null, () -> sink.repeated(connection, end, request, otherData, psn, nanos));
  }

  @Override
  public void refused(
      WireConnection connection,
      int end,
      @Nullable WireRequest request,
      Syndrome syndrome,
      int psn,
      long nanos)
      throws IOException {
    add(nanos, nanos, null, () -> sink.refused(connection, end, request, syndrome, psn, nanos));
  }

  @Override
  public void congested(WireConnection connection, int end, long nanos) throws IOException {
    add(nanos, nanos, null, () -> sink.congested(connection, end, nanos));
  }

  @Override
  public void disconnecting(WireConnection connection, int end, long nanos) throws IOException {
    add(nanos, nanos, null, () -> sink.disconnecting(connection, end, nanos));
  }
}
