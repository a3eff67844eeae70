// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;

/** Explains a wait for a completion that an earlier wait has dropped. */
final class DroppedCompletion {
  /** How many of the newest waits are searched, as a wait may have ended before the session did. */
  private static final int LAST_WAITS = 64;

  /** How many messages after a moment are searched for the message of a request. */
  private static final int NEIGHBOURS = 16;

  private static final long UNKNOWN = -1;

  private final BothEnds both;
  private final Requests end;
  private final @Nullable Requests peer;
  private final String me;
  private final String them;

  /** The wait for the dropped completion, {@link #UNKNOWN} when its beginning is not recorded. */
  private final long wait;

  private final QueueType queue;

  /** The request whose completion was dropped. */
  private final long request;

  private final String name;
  private final long mark;
  private final Steps steps = new Steps();

  private DroppedCompletion(BothEnds both, Requests end, long mark, long wait) {
    this.both = both;
    this.end = end;
    peer = both.peerOf(end);
    me = the(end.role());
    them = the(end.role().other());
    this.wait = wait;
    queue = end.marks().queue(mark);
    request = end.marks().request(mark);
    name = RequestFacts.name(end.of(queue), request);
    this.mark = mark;
  }

  /** Returns null when no end waits, or waited, for a dropped completion. */
  static @Nullable Explanation explain(BothEnds both) {
    for (Requests end : both.ends()) {
      Waits waits = end.waits();
      long first = Math.max(waits.first(), waits.end() - LAST_WAITS);
      for (long wait = waits.end() - 1; wait >= first; wait--) {
        WorkRequests requests = end.of(QueueType.of(waits.wrid(wait)));
        long request = waits.request(wait);
        if (waits.wrid(wait) != 0
            && !waits.came(wait)
            && requests.has(request)
            && requests.dropped(request)) {
          long mark = markOf(end.marks(), requests.queue(), request);
          if (mark >= 0) {
            return new DroppedCompletion(both, end, mark, wait).explain();
          }
        }
      }
    }
    return ofLog(both);
  }

  /** Explains a drop in a trace log of QEMU that has few other events. */
  private static @Nullable Explanation ofLog(BothEnds both) {
    for (Requests end : both.ends()) {
      long mark = lastDrop(end);
      if (mark >= 0 && end.telemetry().status() != MigrationStatus.COMPLETED) {
        return new DroppedCompletion(both, end, mark, UNKNOWN).explain();
      }
    }
    return null;
  }

  /** The last dropped receive whose post is not recorded and after which no message came, or -1. */
  private static long lastDrop(Requests end) {
    Marks marks = end.marks();
    long last = end.received().end() - 1;
    for (long mark = marks.end() - 1; mark >= marks.first(); mark--) {
      if (marks.kind(mark) == Marks.Kind.DROPPED
          && marks.queue(mark) == QueueType.RECEIVE
          && end.receives().has(marks.request(mark))
          && !end.receives().isPostKnown(marks.request(mark))) {
        boolean later = end.received().has(last) && end.received().nanos(last) > marks.nanos(mark);
        return later ? -1 : mark;
      }
    }
    return -1;
  }

  private static long markOf(Marks marks, QueueType queue, long request) {
    for (long mark = marks.end() - 1; mark >= marks.first(); mark--) {
      if (marks.kind(mark) == Marks.Kind.DROPPED
          && marks.queue(mark) == queue
          && marks.request(mark) == request) {
        return mark;
      }
    }
    return -1;
  }

  private Explanation explain() {
    steps.addPost(end, queue, request);
    String expected = addDroppingWait();
    String message = addMessage();
    WorkRequests requests = end.of(queue);
    Marks marks = end.marks();
    long polled = requests.endEvent(request);
    if (polled != marks.event(mark)) {
      steps.add(
          end,
          requests.endedNanos(request),
          polled,
          "the completion of %s is polled before %s."
              .formatted(
                  message.isEmpty() ? name : name + ", which holds " + message + ",", expected));
    }
    steps.addKey(
        end,
        marks.nanos(mark),
        marks.event(mark),
        "the wait for %s drops the completion of %s, which it does not expect."
            .formatted(expected, name));
    if (wait != UNKNOWN) {
      Waits waits = end.waits();
      steps.add(
          end,
          waits.beganNanos(wait),
          waits.beginEvent(wait),
          "%s starts to wait for the completion of %s, which was dropped.".formatted(me, name));
    }
    for (Requests each : both.ends()) {
      MetCompletion met = MetCompletion.first(each);
      if (met != null) {
        met.addTo(steps);
      }
    }
    return conclude(message.isEmpty() ? "what " + name + " holds" : message);
  }

  /**
   * Adds the wait that dropped the completion.
   *
   * @return what it waited for
   */
  private String addDroppingWait() {
    Waits waits = end.waits();
    long dropping = end.marks().other(mark);
    if (dropping < waits.first()) {
      return RequestFacts.takingWait(end, mark);
    }
    QueueType expectedQueue = QueueType.of(waits.wrid(dropping));
    WorkRequests requests = end.of(expectedQueue);
    long expected = waits.request(dropping);
    String text;
    if (waits.wrid(dropping) != 0 && requests.has(expected)) {
      text = "the completion of " + RequestFacts.name(requests, expected);
      addExpected(dropping, expectedQueue, expected);
    } else {
      text = RequestFacts.wait(end, dropping);
    }
    steps.add(
        end,
        waits.beganNanos(dropping),
        waits.beginEvent(dropping),
        "%s waits for %s and polls all completions in the meantime.".formatted(me, text));
    return text;
  }

  /** Adds the request that the dropping wait waited for: its post, its arrival, its completion. */
  private void addExpected(long dropping, QueueType expectedQueue, long id) {
    WorkRequests requests = end.of(expectedQueue);
    steps.addPost(end, expectedQueue, id);
    long sent =
        expectedQueue == QueueType.SEND
            ? messageOf(end.sent(), id, requests.postedNanos(id))
            : WorkRequests.NONE;
    if (sent >= 0 && peer != null && both.isPaired() && peer.received().has(sent)) {
      steps.add(
          peer,
          peer.received().nanos(sent),
          peer.received().event(sent),
          "%s arrives at %s.".formatted(EventText.control(end.sent().type(sent)), them));
    }
    if (!requests.isOpen(id)) {
      steps.add(
          end,
          requests.endedNanos(id),
          requests.endEvent(id),
          "the completion of %s is polled; the wait for it %s."
              .formatted(
                  RequestFacts.name(requests, id),
                  end.waits().isOpen(dropping) ? "goes on" : "is over"));
    }
  }

  /**
   * Adds how the peer sent the message that the dropped completion announced.
   *
   * @return its name, empty when it is not known
   */
  private String addMessage() {
    if (queue == QueueType.SEND) {
      return "";
    }
    long number = messageOf(end.received(), request, end.receives().endedNanos(request));
    if (number < 0) {
      return "";
    }
    if (peer == null || !both.isPaired() || !peer.sent().has(number)) {
      int type = end.received().type(number);
      return type == Messages.UNKNOWN ? "" : EventText.control(type);
    }
    String message = EventText.control(peer.sent().type(number));
    long send = peer.sent().request(number);
    steps.add(
        peer,
        peer.sent().nanos(number),
        peer.sent().event(number),
        "%s posts CONTROL SEND (%s) to its send queue.".formatted(them, message));
    if (peer.sends().has(send) && !peer.sends().isOpen(send)) {
      steps.add(
          peer,
          peer.sends().endedNanos(send),
          peer.sends().endEvent(send),
          "the completion of this SEND is polled: as far as %s can tell, %s has arrived."
              .formatted(them, message));
    }
    return message;
  }

  private static long messageOf(Messages messages, long request, long nanos) {
    long first = messages.indexOf(nanos);
    long last = Math.min(messages.end(), first + NEIGHBOURS);
    for (long number = first; number < last; number++) {
      if (messages.request(number) == request) {
        return number;
      }
    }
    return WorkRequests.NONE;
  }

  private String headline() {
    if (wait == UNKNOWN) {
      return "%s dropped the completion of a receive that it has to wait for."
          .formatted(Format.capitalized(me));
    }
    return "%s %s for a completion that it dropped itself."
        .formatted(Format.capitalized(me), end.waits().isOpen(wait) ? "waits" : "waited");
  }

  private Explanation conclude(String message) {
    long lastNanos = wait == UNKNOWN ? end.marks().nanos(mark) : end.waits().beganNanos(wait);
    long theirs = peer == null ? -1 : peer.waits().open();
    String conclusion =
        "%s never handles %s: a request completes only once, and the completion of %s is gone."
            .formatted(me, message, name);
    if (peer != null && theirs >= 0) {
      steps.addWait(peer, theirs);
      lastNanos = Math.max(lastNanos, peer.waits().beganNanos(theirs));
      conclusion += " It therefore never answers, and %s waits forever as well.".formatted(them);
    } else {
      conclusion += " It therefore never answers %s.".formatted(them);
    }
    List<Step> ordered = new ArrayList<>(steps.inOrder());
    lastNanos = Math.max(lastNanos, ordered.getLast().nanos());
    ordered.add(new Step(end.role(), lastNanos, -1, Format.capitalized(conclusion), false));
    return new Explanation(
        State.STUCK,
        headline(),
        "Sends and receives share one completion queue, and a wait drops every completion that it"
            + " does not expect. The order of completions of different work queues is not"
            + " guaranteed: here, that of %s came first.".formatted(name),
        List.copyOf(ordered),
        "Use separate completion queues for sends and receives, as QEMU has done since version 6.2"
            + " (commit b390afd8c50b), or keep every completion that a wait polls.");
  }
}
