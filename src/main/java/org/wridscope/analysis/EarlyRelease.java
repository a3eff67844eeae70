// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.text.Format;

/**
 * Explains what follows when memory is released before the completion of the request that needs it:
 * a device that got no acknowledgement sends the request again, and reads the memory again.
 */
public final class EarlyRelease {
  /** How many requests after one are searched for another one that used its buffer. */
  private static final int MOST_SEARCHED = 10_000;

  /** Events read at once. */
  private static final int PIECE = 4096;

  private final Requests end;
  private final long mark;
  private final WorkRequests sends;
  private final long request;
  private final Steps steps = new Steps();

  private EarlyRelease(Requests end, long mark) {
    this.end = end;
    this.mark = mark;
    sends = end.sends();
    request = end.marks().request(mark);
  }

  /**
   * What was found at one end, one or two sentences; null if nothing was.
   *
   * @param session which may still run
   */
  public static @Nullable String finding(SessionTelemetry session) {
    Metrics metrics = session.metrics();
    long gone = metrics.get(Metric.SENT_AGAIN_UNREGISTERED);
    long changed = metrics.get(Metric.SENT_AGAIN_CHANGED);
    var text = new StringBuilder();
    if (gone > 0) {
      text.append(
          "At %s, memory was deregistered before its request had completed; the device had to send %s again and could not."
              .formatted(the(session.role()), Format.counted(gone, "request")));
    }
    if (changed > 0) {
      text.append(gone > 0 ? " " : "")
          .append(
              "At %s, buffers were reused before their SENDs had completed: other data went onto the wire when the device sent %s again."
                  .formatted(the(session.role()), Format.counted(changed, "control message")));
    }
    return text.isEmpty() ? null : text.toString();
  }

  /** Returns null when no end released memory too early, as far as is known. */
  static @Nullable Explanation explain(BothEnds both) {
    for (Requests end : both.ends()) {
      Marks marks = end.marks();
      for (long mark = marks.first(); mark < marks.end(); mark++) {
        boolean found =
            marks.kind(mark) == Marks.Kind.MEMORY_GONE
                || marks.kind(mark) == Marks.Kind.MEMORY_REUSED;
        if (found && end.sends().has(marks.request(mark))) {
          return new EarlyRelease(end, mark).explain();
        }
      }
    }
    return null;
  }

  private Explanation explain() {
    String me = the(end.role());
    String name = RequestFacts.name(sends, request);
    boolean gone = end.marks().kind(mark) == Marks.Kind.MEMORY_GONE;
    steps.addPost(end, QueueType.SEND, request);
    if (gone) {
      addDeregistration();
    } else {
      addReuse();
    }
    steps.addKey(
        end,
        end.marks().nanos(mark),
        end.marks().event(mark),
        gone
            ? "no acknowledgement has come, and the device of %s is to send %s again, but its memory is no longer registered."
                .formatted(me, name)
            : "no acknowledgement has come, and the device of %s sends %s again, with what is in the buffer now."
                .formatted(me, name));
    if (!sends.isOpen(request)) {
      steps.add(
          end,
          sends.endedNanos(request),
          sends.endEvent(request),
          "it completes: %s.".formatted(sends.status(request).text()));
    }
    return new Explanation(
        state(gone),
        gone
            ? "%s deregistered the memory of %s before it had completed."
                .formatted(Format.capitalized(me), name)
            : "%s reused the buffer of %s before it had completed."
                .formatted(Format.capitalized(me), name),
        "The peer's answer proves that the peer has executed a request, but not that its"
            + " acknowledgement has come: without one, the device sends the request again and reads"
            + " its memory again. "
            + (gone
                ? "A key that is no longer valid is a protection error, which ends the"
                    + " connection."
                : "The data of something else went onto the wire. The peer's device discarded it as"
                    + " a duplicate; anyone listening on the wire has seen it."),
        steps.inOrder(),
        "Release buffers and registrations when their request has completed, not when the peer has"
            + " answered, as the Linux kernel's xprtrdma does since it has send contexts (commit"
            + " ae72950a).");
  }

  /** Adds the last message of the peer between the post of the request and a moment. */
  private void addAnswer(long before) {
    Messages received = end.received();
    long last = -1;
    for (long message = received.indexOf(sends.postedNanos(request));
        message < received.end() && received.nanos(message) < before;
        message++) {
      if (received.type(message) != ControlType.HEARTBEAT.value()) {
        last = message;
      }
    }
    if (last >= 0) {
      steps.add(
          end,
          received.nanos(last),
          received.event(last),
          "%s arrives at %s; the request has not completed."
              .formatted(EventText.control(received.type(last)), the(end.role())));
    }
  }

  private State state(boolean gone) {
    if (!end.telemetry().status().isEnd()) {
      return State.RUNNING;
    }
    return gone ? State.FAILED : State.UNSOUND;
  }

  /** Adds the last deregistration of the chunk of an RDMA WRITE. */
  private void addDeregistration() {
    EventLog log = end.telemetry().log();
    long until = end.marks().event(mark);
    Event last = null;
    for (long from = sends.postEvent(request); from < until; from += PIECE) {
      for (Event event : log.read(from, (int) Math.min(PIECE, until - from))) {
        if (event.kind() == EventKind.DEREGISTERED
            && covers(event.wrid(), event.length(), sends.wrid(request))) {
          last = event;
        }
      }
    }
    if (last != null) {
      addAnswer(last.nanos());
      steps.add(
          end,
          last.nanos(),
          last.number(),
          "%s deregisters %s, although the request has not completed."
              .formatted(the(end.role()), EventText.summary(last, end.telemetry())));
    }
  }

  private static boolean covers(long run, int chunks, long wrid) {
    long first = WorkRequestId.chunk(run);
    long chunk = WorkRequestId.chunk(wrid);
    return WorkRequestId.block(run) == WorkRequestId.block(wrid)
        && chunk >= first
        && chunk < first + chunks;
  }

  /** Adds the next request from the same buffer, which has the same wrid. */
  private void addReuse() {
    long last = Math.min(sends.end(), request + MOST_SEARCHED);
    for (long next = request + 1; next < last; next++) {
      if (sends.wrid(next) == sends.wrid(request)
          && sends.postedNanos(next) <= end.marks().nanos(mark)) {
        addAnswer(sends.postedNanos(next));
        steps.add(
            end,
            sends.postedNanos(next),
            sends.postEvent(next),
            "%s posts %s from the same buffer, although the first request has not completed."
                .formatted(the(end.role()), RequestFacts.name(sends, next)));
        return;
      }
    }
  }
}
