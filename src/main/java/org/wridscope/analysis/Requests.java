// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.EventLog;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * What the events of one session say of its work requests, waits and control messages. It reads on
 * in the log as the session goes on. Not thread-safe.
 *
 * <p>A SEND is posted by the event of its control message, unless a {@link EventKind#POST_SEND} for
 * it came just before. A completion that was dropped may be told by its completion and then as
 * dropped, or only as dropped.
 */
public final class Requests {
  /** Bytes that a request takes, with its end and what leads to it. */
  private static final int REQUEST_BYTES = 96;

  private static final int FEWEST_KEPT = 1 << 16;
  private static final int MOST_KEPT = 1 << 21;

  /** Waits, and messages each way, that are kept. */
  private static final int OTHERS_KEPT = 1 << 18;

  /** Changes of status, rounds and the like. */
  private static final int MILESTONES_KEPT = 10_000;

  private final SessionTelemetry telemetry;
  private final WorkRequests sends;
  private final WorkRequests receives;
  private final Waits waits = new Waits(OTHERS_KEPT);
  private final Messages sent = new Messages(OTHERS_KEPT);
  private final Messages received = new Messages(OTHERS_KEPT);
  private final Marks marks = new Marks(OTHERS_KEPT);
  private final Latencies latencies = new Latencies();
  private final Milestones milestones = new Milestones(MILESTONES_KEPT);
  private final EventLog.Reader reader = this::event;
  private final Conversation conversation;
  private long next;
  private long missed;
  private long lastNanos;

  // The completion that the event before told, in case that this event says it was dropped.
  private QueueType lastQueue = QueueType.SEND;
  private long lastCompleted = WorkRequests.NONE;

  /** The SEND that a {@link EventKind#POST_SEND} told and no control message yet. */
  private long unnamedSend = WorkRequests.NONE;

  /** Begins with the oldest event that the session still has. */
  public Requests(SessionTelemetry telemetry) {
    this(
        telemetry,
        Math.clamp(Runtime.getRuntime().maxMemory() / 8 / REQUEST_BYTES, FEWEST_KEPT, MOST_KEPT));
  }

  /**
   * Begins with the oldest event that the session still has.
   *
   * @param kept requests of each queue that are kept at least, once there were so many
   */
  public Requests(SessionTelemetry telemetry, long kept) {
    this.telemetry = telemetry;
    sends = new WorkRequests(QueueType.SEND, kept);
    receives = new WorkRequests(QueueType.RECEIVE, kept);
    conversation = new Conversation(telemetry.role());
  }

  public SessionTelemetry telemetry() {
    return telemetry;
  }

  public Role role() {
    return telemetry.role();
  }

  public WorkRequests sends() {
    return sends;
  }

  public WorkRequests receives() {
    return receives;
  }

  public WorkRequests of(QueueType queue) {
    return queue == QueueType.SEND ? sends : receives;
  }

  public Waits waits() {
    return waits;
  }

  /** Control messages that it sent. */
  public Messages sent() {
    return sent;
  }

  /** Control messages that it received, those whose completion was dropped included. */
  public Messages received() {
    return received;
  }

  public Marks marks() {
    return marks;
  }

  public Latencies latencies() {
    return latencies;
  }

  /**
   * Changes of status, rounds, the guest's pauses, events of the connection and the device: of very
   * many the first and the last.
   */
  public List<Event> milestones() {
    return milestones.all();
  }

  /** Events that are not known here: given up by the log, or left out by the monitor. */
  public long missed() {
    return missed + telemetry.eventsLeftOut();
  }

  /** The time of the newest event, 0 before the first. */
  public long lastNanos() {
    return lastNanos;
  }

  /** How many events were read or missed, which is the number of the next one. */
  public long next() {
    return next;
  }

  /** Whether every event so far was read. */
  public boolean isUpToDate() {
    return next >= telemetry.log().size();
  }

  /**
   * Reads on.
   *
   * @param limit how many events at most
   * @return how many were read
   */
  public long advance(int limit) {
    long before = Math.max(next, telemetry.log().oldest());
    missed += before - next;
    next = telemetry.log().read(before, limit, reader);
    return next - before;
  }

  /**
   * Takes in an event that was read elsewhere than in the session's log, where only the newest are.
   *
   * @param event with a number greater than that of the one before
   */
  public void take(Event event) {
    missed += event.number() - next;
    next = event.number() + 1;
    event(
        event.number(),
        event.nanos(),
        event.kind(),
        event.detail(),
        event.length(),
        event.wrid(),
        event.argument());
  }

  /** Reads all that there is. */
  public Requests readAll() {
    while (advance(LongTable.SEGMENT) > 0) {
      // in pieces, as the log stands still while it is read
    }
    return this;
  }

  private boolean event(
      long number, long nanos, EventKind kind, int detail, int length, long wrid, long argument) {
    lastNanos = nanos;
    switch (kind) {
      case POST_WRITE -> sends.post(nanos, number, wrid, length, detail == 1, 0);
      case POST_SEND -> unnamedSend = sends.post(nanos, number, wrid, length, true, detail);
      case POST_RECEIVE -> receives.post(nanos, number, wrid, length, true, 0);
      case COMPLETION_SEND_QUEUE, COMPLETION_RECEIVE_QUEUE ->
          completed(nanos, number, wrid, detail);
      case CONTROL_SENT -> sent(nanos, number, detail, length, wrid, argument);
      case CONTROL_RECEIVED -> {
        long request = wrid == 0 ? WorkRequests.NONE : receives.lastEnded(wrid);
        received.decoded(nanos, number, detail, length, argument, request);
        follow(nanos, number, request, conversation.received(ControlType.of(detail)));
      }
      case WAIT_BEGIN -> {
        long request = wrid == 0 ? WorkRequests.NONE : of(QueueType.of(wrid)).openOrLast(wrid);
        waits.begin(nanos, number, detail, wrid, request);
      }
      case WAIT_END -> waits.finish(nanos, number);
      case COMPLETION_DROPPED -> dropped(nanos, number, wrid);
      case STATUS, ROUND_BEGIN, ROUND_END, GUEST_PAUSED, GUEST_RESUMED, CONNECTION, ASYNC ->
          milestones.add(new Event(number, nanos, kind, detail, length, wrid, argument));
      case REGISTERED, DEREGISTERED, ZERO -> {
        // no work request
      }
    }
    return true;
  }

  private void sent(long nanos, long number, int type, int length, long wrid, long repeat) {
    long request;
    if (sends.has(unnamedSend) && (wrid == 0 || sends.wrid(unnamedSend) == wrid)) {
      request = unnamedSend;
    } else {
      request = sends.post(nanos, number, wrid, ControlHeader.BYTES + length, true, type);
    }
    unnamedSend = WorkRequests.NONE;
    sent.add(nanos, number, type, length, repeat, request);
    conversation.sent(ControlType.of(type), request);
  }

  private void completed(long nanos, long number, long wrid, int status) {
    QueueType queue = QueueType.of(wrid);
    WorkRequests requests = of(queue);
    boolean ok = status == WorkCompletionStatus.SUCCESS.value();
    long id = requests.complete(nanos, number, wrid, status);
    waits.completed(wrid);
    lastQueue = queue;
    lastCompleted = id;
    if (id == WorkRequests.NONE) {
      return;
    }
    if (!ok) {
      marks.add(nanos, number, Marks.Kind.FAILED, queue, id, WorkRequests.NONE);
      return;
    }
    latencies.record(requests.kind(id), nanos - requests.postedNanos(id));
    long oldest = requests.oldestOpen();
    // The order within a queue is the device's promise: with events missing, they are the reason.
    if (oldest != WorkRequests.NONE && oldest < id && missed() == 0) {
      requests.markOvertaking(id);
      requests.markOvertaken(oldest);
      marks.add(nanos, number, Marks.Kind.OUT_OF_ORDER, queue, id, oldest);
    }
    if (queue == QueueType.RECEIVE) {
      received.arrived(nanos, number, id);
    }
  }

  private void dropped(long nanos, long number, long wrid) {
    QueueType queue = QueueType.of(wrid);
    WorkRequests requests = of(queue);
    boolean told =
        lastCompleted != WorkRequests.NONE
            && lastQueue == queue
            && requests.wrid(lastCompleted) == wrid
            && !requests.dropped(lastCompleted);
    if (!told) {
      completed(nanos, number, wrid, WorkCompletionStatus.SUCCESS.value());
    }
    long id = lastCompleted;
    lastCompleted = WorkRequests.NONE;
    if (id == WorkRequests.NONE) {
      return;
    }
    requests.markDropped(id);
    marks.add(nanos, number, Marks.Kind.DROPPED, queue, id, waits.open());
    if (queue == QueueType.RECEIVE) {
      follow(nanos, number, id, conversation.received(null));
    }
  }

  /** Looks whether a message came before the completion of the SEND that it follows from. */
  private void follow(long nanos, long number, long receive, long send) {
    if (receive == WorkRequests.NONE || !sends.has(send) || !sends.isOpen(send)) {
      return;
    }
    receives.markOvertaking(receive);
    sends.markOvertaken(send);
    marks.add(nanos, number, Marks.Kind.RECEIVE_OVERTOOK_SEND, QueueType.RECEIVE, receive, send);
  }

  /**
   * Which message follows from which, by the rules of the protocol: a source sends one only after
   * READY, and the destination answers it, and says READY again, only after it has come.
   */
  private static final class Conversation {
    private final boolean source;
    private long asked = WorkRequests.NONE;
    private long asks;
    private long readies;
    private long lastReady = WorkRequests.NONE;
    private long switchOver = WorkRequests.NONE;
    private long loaded = WorkRequests.NONE;

    Conversation(Role role) {
      source = role == Role.SOURCE;
    }

    /** Notes which SEND carried a message. */
    void sent(@Nullable ControlType type, long request) {
      switch (type) {
        case SWITCH_OVER -> switchOver = request;
        case LOADED -> loaded = request;
        case READY -> {
          lastReady = request;
          readies++;
        }
        case null -> {
          // not of this protocol
        }
        default -> {
          if (source && needsReady(type)) {
            asked = request;
            asks++;
          }
        }
      }
    }

    /**
     * Takes in a message that came.
     *
     * @param type null when nobody decoded it
     * @return the SEND that it follows from, {@link WorkRequests#NONE} when there is none
     */
    long received(@Nullable ControlType type) {
      if (source) {
        return switch (type) {
          case RUNNING -> switchOver;
          case HEARTBEAT, ERROR, DIGESTS -> WorkRequests.NONE;
          case READY -> {
            long follows = asks == readies ? asked : WorkRequests.NONE;
            readies++;
            yield follows;
          }
          // With as many messages as READYs, the last one is what is answered.
          case null, default -> asks == readies ? asked : WorkRequests.NONE;
        };
      }
      if (type == ControlType.SWITCH_OVER) {
        return loaded;
      }
      if (type != null && !needsReady(type)) {
        return WorkRequests.NONE;
      }
      asks++;
      return asks == readies ? lastReady : WorkRequests.NONE;
    }

    private static boolean needsReady(ControlType type) {
      return !type.isPrivate() && type != ControlType.READY && type != ControlType.ERROR;
    }
  }
}
