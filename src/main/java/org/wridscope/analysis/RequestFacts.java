// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.text.Format;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.wire.Syndrome;

/**
 * Everything known about a work request at a moment.
 *
 * @param id number within its queue, from 0
 * @param length bytes
 * @param controlType type of the control message for a SEND, otherwise 0
 * @param signaled whether it was posted signaled, null if that is not known
 * @param state how it ended, or what an open one is
 * @param text the wrid in words, and for a SEND of a migration the name of its message; for a
 *     program that is not ours, operation, wrid and queue
 * @param endedNanos {@link WorkRequests#OPEN} while it has not ended
 * @param history what happened to it, in the order of time
 */
public record RequestFacts(
    QueueType queue,
    long id,
    RequestKind kind,
    long wrid,
    int length,
    int controlType,
    @Nullable Boolean signaled,
    long postedNanos,
    long endedNanos,
    WorkCompletionStatus status,
    String state,
    String text,
    List<Station> history) {
  /** How many marks, and how many waits, are searched. */
  private static final int MOST_SEARCHED = 2_000;

  /** Upper limit of the stations of a request. */
  private static final int MOST_STATIONS = 24;

  /**
   * Something that happened to a request.
   *
   * @param what one or two words
   * @param text a phrase
   * @param event the number of the event that recorded it
   */
  public record Station(String what, String text, long nanos, long event) {}

  /** Collects the facts of a request that is still kept. */
  public static RequestFacts of(Requests requests, QueueType queue, long id) {
    WorkRequests all = requests.of(queue);
    return new RequestFacts(
        queue,
        id,
        all.kind(id),
        all.wrid(id),
        all.length(id),
        all.controlType(id),
        all.knowsFlags() ? all.signaled(id) : null,
        all.postedNanos(id),
        all.endedNanos(id),
        all.status(id),
        all.isOpen(id) ? all.openText() : all.status(id).text(),
        name(all, id),
        history(requests, all, id));
  }

  public boolean isOpen() {
    return endedNanos == WorkRequests.OPEN;
  }

  static String name(WorkRequests requests, long id) {
    if (requests.ofProgram(id)) {
      return "%s %s of %s"
          .formatted(
              requests.queue() == QueueType.RECEIVE
                  ? "receive"
                  : OpcodeNames.ofRequest(requests.opcode(id)),
              requests.programWrid(id),
              requests.queueName(id));
    }
    int controlType = requests.controlType(id);
    String name = WorkRequestId.describe(requests.wrid(id));
    return controlType == 0 ? name : name + " (" + EventText.control(controlType) + ")";
  }

  private static List<Station> history(Requests requests, WorkRequests all, long id) {
    var history = new ArrayList<Station>();
    long posted = all.postedNanos(id);
    long before = id - all.ended().indexOf(posted);
    if (all.isPostKnown(id)) {
      history.add(
          new Station(
              "posted",
              "to the %s queue, behind %s"
                  .formatted(
                      all.queue().text(), Format.counted(Math.max(0, before), "other request")),
              posted,
              all.postEvent(id)));
    }
    marks(requests, all, id, history);
    waits(requests, all, id, history);
    end(all, id, history);
    history.sort((a, b) -> Long.compare(a.event(), b.event()));
    return List.copyOf(history);
  }

  private static void end(WorkRequests all, long id, List<Station> history) {
    if (all.isOpen(id)) {
      return;
    }
    long ended = all.endedNanos(id);
    String after =
        all.isPostKnown(id)
            ? " after " + Format.duration(ended - all.postedNanos(id))
            : "; its post is not recorded";
    long by = all.coveredBy(id);
    if (by == WorkRequests.NONE) {
      history.add(new Station("completed", all.status(id).text() + after, ended, all.endEvent(id)));
    } else {
      history.add(
          new Station(
              "covered",
              "by the completion of %s, request %s%s"
                  .formatted(all.has(by) ? name(all, by) : "a later one", Format.count(by), after),
              ended,
              all.endEvent(id)));
    }
  }

  private static void marks(Requests requests, WorkRequests all, long id, List<Station> history) {
    Marks marks = requests.marks();
    long from = marks.indexOf(all.postedNanos(id));
    long to = Math.min(marks.end(), from + MOST_SEARCHED);
    for (long mark = from; mark < to && history.size() < MOST_STATIONS; mark++) {
      boolean own = marks.queue(mark) == all.queue() && marks.request(mark) == id;
      QueueType overtaken =
          marks.kind(mark) == Marks.Kind.RECEIVE_OVERTOOK_SEND ? QueueType.SEND : marks.queue(mark);
      WorkRequests others = requests.of(overtaken);
      switch (marks.kind(mark)) {
        case RECEIVE_OVERTOOK_SEND, OUT_OF_ORDER -> {
          if (own && others.has(marks.other(mark))) {
            history.add(
                station(marks, mark, "overtook", "that of " + name(others, marks.other(mark))));
          } else if (overtaken == all.queue() && marks.other(mark) == id) {
            WorkRequests by = requests.of(marks.queue(mark));
            history.add(
                station(marks, mark, "overtaken", "by that of " + name(by, marks.request(mark))));
          }
        }
        case DROPPED -> {
          if (own) {
            history.add(
                station(marks, mark, "dropped", "by the wait for " + takingWait(requests, mark)));
          }
        }
        case MET -> {
          if (own) {
            history.add(
                station(
                    marks,
                    mark,
                    "met",
                    "by the wait for " + takingWait(requests, mark) + ", which handled it"));
          }
        }
        case MEMORY_GONE -> {
          if (own) {
            history.add(
                station(marks, mark, "sent again", "not possible: its memory was deregistered"));
          }
        }
        case MEMORY_REUSED -> {
          if (own) {
            history.add(station(marks, mark, "sent again", "with other data"));
          }
        }
        case SENT_AGAIN -> {
          if (own) {
            history.add(station(marks, mark, "sent again", "by the device, as packets show"));
          }
        }
        case REFUSED -> {
          if (own) {
            Syndrome syndrome = new Syndrome((int) marks.other(mark));
            history.add(station(marks, mark, "answered", EventText.answer(syndrome)));
          }
        }
        case FAILED -> {
          // its end has the status
        }
      }
    }
  }

  private static Station station(Marks marks, long mark, String what, String text) {
    return new Station(what, text, marks.nanos(mark), marks.event(mark));
  }

  private static void waits(Requests requests, WorkRequests all, long id, List<Station> history) {
    Waits waits = requests.waits();
    long from = waits.indexOf(all.postedNanos(id));
    long to = Math.min(waits.end(), from + MOST_SEARCHED);
    for (long wait = from; wait < to && history.size() < MOST_STATIONS; wait++) {
      if (waits.request(wait) == id && QueueType.of(waits.wrid(wait)) == all.queue()) {
        String span =
            waits.isOpen(wait)
                ? ", to this moment"
                : ", for " + Format.duration(waits.endedNanos(wait) - waits.beganNanos(wait));
        history.add(
            new Station(
                "waited for",
                "as " + wait(requests, wait) + span,
                waits.beganNanos(wait),
                waits.beginEvent(wait)));
      }
    }
  }

  /** What the wait was for that dropped or met a completion. */
  static String takingWait(Requests requests, long mark) {
    return EventText.wait(requests.marks().phrase(mark), requests.telemetry());
  }

  /** What a wait was for. */
  static String wait(Requests requests, long wait) {
    Waits waits = requests.waits();
    if (wait < waits.first() || wait >= waits.end()) {
      return "something else";
    }
    return EventText.wait(waits.phrase(wait), requests.telemetry());
  }
}
