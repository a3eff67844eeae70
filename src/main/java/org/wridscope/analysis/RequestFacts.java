// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Format;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * All that is known of one work request at a moment.
 *
 * @param id its number in its queue, from 0
 * @param length bytes
 * @param controlType type of the control message that a SEND carries, otherwise 0
 * @param signaled whether a completion of its own was asked for
 * @param endedNanos {@link WorkRequests#OPEN} while it has not ended
 * @param way what happened to it, in the order of time
 */
public record RequestFacts(
    WorkQueue queue,
    long id,
    RequestKind kind,
    long wrid,
    int length,
    int controlType,
    boolean signaled,
    long postedNanos,
    long endedNanos,
    WorkCompletionStatus status,
    List<Station> way) {
  /** Marks and waits that are looked at for one request. */
  private static final int MOST_LOOKED_AT = 2_000;

  /** Stations of one request that are told. */
  private static final int MOST_STATIONS = 24;

  /**
   * Something that happened to a request.
   *
   * @param what one or two words
   * @param text a phrase
   * @param event the number of the event that tells it
   */
  public record Station(String what, String text, long nanos, long event) {}

  /** Collects what is known of a request that is kept. */
  public static RequestFacts of(Requests requests, WorkQueue queue, long id) {
    WorkRequests all = requests.of(queue);
    return new RequestFacts(
        queue,
        id,
        all.kind(id),
        all.wrid(id),
        all.length(id),
        all.controlType(id),
        all.signaled(id),
        all.postedNanos(id),
        all.endedNanos(id),
        all.status(id),
        way(requests, all, id));
  }

  public boolean isOpen() {
    return endedNanos == WorkRequests.OPEN;
  }

  /** The wrid in words, with the message that a SEND carries. */
  public String text() {
    return name(wrid, controlType);
  }

  static String name(WorkRequests requests, long id) {
    return name(requests.wrid(id), requests.controlType(id));
  }

  private static String name(long wrid, int controlType) {
    String name = WorkRequestId.describe(wrid);
    return controlType == 0 ? name : name + " (" + message(controlType) + ")";
  }

  /** The name of a control message. */
  static String message(int type) {
    ControlType known = ControlType.of(type);
    return known == null ? "a message of type " + type : known.text();
  }

  private static List<Station> way(Requests requests, WorkRequests all, long id) {
    var way = new ArrayList<Station>();
    long posted = all.postedNanos(id);
    long before = id - all.ended().indexOf(posted);
    way.add(
        new Station(
            "posted",
            "to the %s queue, behind %s"
                .formatted(all.queue().text(), counted(Math.max(0, before), "other request")),
            posted,
            all.postEvent(id)));
    marks(requests, all, id, way);
    waits(requests, all, id, way);
    end(all, id, way);
    way.sort((a, b) -> Long.compare(a.event(), b.event()));
    return List.copyOf(way);
  }

  private static void end(WorkRequests all, long id, List<Station> way) {
    if (all.isOpen(id)) {
      return;
    }
    long ended = all.endedNanos(id);
    String after = " after " + Format.duration(ended - all.postedNanos(id));
    long by = all.coveredBy(id);
    if (by == WorkRequests.NONE) {
      way.add(new Station("completed", all.status(id).text() + after, ended, all.endEvent(id)));
    } else {
      way.add(
          new Station(
              "covered",
              "by the completion of %s, request %s%s"
                  .formatted(
                      all.has(by) ? WorkRequestId.describe(all.wrid(by)) : "a later one",
                      Format.count(by),
                      after),
              ended,
              all.endEvent(id)));
    }
  }

  private static void marks(Requests requests, WorkRequests all, long id, List<Station> way) {
    Marks marks = requests.marks();
    long from = marks.indexOf(all.postedNanos(id));
    long to = Math.min(marks.end(), from + MOST_LOOKED_AT);
    for (long mark = from; mark < to && way.size() < MOST_STATIONS; mark++) {
      boolean own = marks.queue(mark) == all.queue() && marks.request(mark) == id;
      WorkQueue overtaken =
          marks.kind(mark) == Marks.Kind.RECEIVE_OVERTOOK_SEND ? WorkQueue.SEND : marks.queue(mark);
      WorkRequests others = requests.of(overtaken);
      switch (marks.kind(mark)) {
        case RECEIVE_OVERTOOK_SEND, OUT_OF_ORDER -> {
          if (own && others.has(marks.other(mark))) {
            way.add(station(marks, mark, "overtook", "that of " + name(others, marks.other(mark))));
          } else if (overtaken == all.queue() && marks.other(mark) == id) {
            WorkRequests by = requests.of(marks.queue(mark));
            way.add(
                station(marks, mark, "overtaken", "by that of " + name(by, marks.request(mark))));
          }
        }
        case DROPPED -> {
          if (own) {
            way.add(
                station(
                    marks,
                    mark,
                    "dropped",
                    "by the wait for " + wait(requests, marks.other(mark))));
          }
        }
        case FAILED -> {
          // its end says so
        }
      }
    }
  }

  private static Station station(Marks marks, long mark, String what, String text) {
    return new Station(what, text, marks.nanos(mark), marks.event(mark));
  }

  private static void waits(Requests requests, WorkRequests all, long id, List<Station> way) {
    Waits waits = requests.waits();
    long from = waits.indexOf(all.postedNanos(id));
    long to = Math.min(waits.end(), from + MOST_LOOKED_AT);
    for (long wait = from; wait < to && way.size() < MOST_STATIONS; wait++) {
      if (waits.request(wait) == id && WorkQueue.of(waits.wrid(wait)) == all.queue()) {
        String span =
            waits.isOpen(wait)
                ? ", to this moment"
                : ", for " + Format.duration(waits.endedNanos(wait) - waits.beganNanos(wait));
        way.add(
            new Station(
                "waited for",
                "as " + wait(requests, wait) + span,
                waits.beganNanos(wait),
                waits.beginEvent(wait)));
      }
    }
  }

  /** What a wait was for, in words. */
  static String wait(Requests requests, long wait) {
    Waits waits = requests.waits();
    if (wait < waits.first() || wait >= waits.end()) {
      return "something else";
    }
    List<String> phrases = requests.telemetry().waits();
    int phrase = waits.phrase(wait);
    return phrase < phrases.size() ? phrases.get(phrase) : "something of number " + phrase;
  }

  private static String counted(long count, String what) {
    return count == 1 ? "1 " + what : Format.count(count) + " " + what + "s";
  }
}
