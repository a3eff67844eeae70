// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionStatus;

/** Explains a migration that failed. */
final class Failure {
  private final BothEnds both;
  private final Steps steps = new Steps();

  private Failure(BothEnds both) {
    this.both = both;
  }

  static Explanation explain(BothEnds both) {
    return new Failure(both).explain();
  }

  private Explanation explain() {
    Requests failed = null;
    long first = -1;
    for (Requests end : both.ends()) {
      long mark = firstError(end);
      if (mark >= 0 && (failed == null || end.marks().nanos(mark) < failed.marks().nanos(first))) {
        failed = end;
        first = mark;
      }
    }
    return failed == null ? withoutError() : ofRequest(failed, first);
  }

  /**
   * The mark of the first completion with an error of its own, -1 if there is none; a flush only
   * follows from another error.
   */
  static long firstError(Requests end) {
    Marks marks = end.marks();
    for (long mark = marks.first(); mark < marks.end(); mark++) {
      WorkRequests requests = end.of(marks.queue(mark));
      if (marks.kind(mark) == Marks.Kind.FAILED
          && requests.has(marks.request(mark))
          && requests.status(marks.request(mark)) != WorkCompletionStatus.WR_FLUSH_ERR) {
        return mark;
      }
    }
    return -1;
  }

  private Explanation ofRequest(Requests failed, long mark) {
    QueueType queue = failed.marks().queue(mark);
    WorkRequests requests = failed.of(queue);
    long id = failed.marks().request(mark);
    String status = requests.status(id).text();
    steps.addPost(failed, queue, id);
    steps.addKey(
        failed,
        requests.endedNanos(id),
        requests.endEvent(id),
        "it completes with an error: %s.".formatted(status));
    addEvents();
    Meaning meaning = Meanings.of(requests.status(id));
    long others = failed.marks().count(Marks.Kind.FAILED) - 1;
    return new Explanation(
        State.FAILED,
        "%s of %s completed with an error: %s."
            .formatted(RequestFacts.name(requests, id), the(failed.role()), status),
        meaning.means()
            + " "
            + (others == 0
                ? "An error puts the queue pair into the error state; no other request was"
                    + " outstanding."
                : "An error puts the queue pair into the error state: %s completed with an error after it."
                    .formatted(Format.counted(others, "more request"))),
        steps.inOrder(),
        meaning.advice());
  }

  private Explanation withoutError() {
    addEvents();
    for (Requests end : both.ends()) {
      long last = end.waits().end() - 1;
      if (last >= end.waits().first()) {
        steps.addWait(end, last);
      }
    }
    long flushed =
        both.ends().stream().mapToLong(end -> end.marks().count(Marks.Kind.FAILED)).sum();
    return new Explanation(
        State.FAILED,
        "No request failed on its own.",
        flushed == 0
            ? both.ends().stream().allMatch(end -> end.troubles().isEmpty())
                ? "The cause lies outside the queues; the steps are the last known events."
                : "The cause may be what went wrong on the wire, which is among the steps."
            : "%s %s flushed when the connection ended."
                .formatted(
                    Format.counted(flushed, "outstanding request"), flushed == 1 ? "was" : "were"),
        steps.inOrder(),
        "");
  }

  /** Adds the events of the wire, of connections and of devices, and the changes of status. */
  private void addEvents() {
    for (Requests end : both.ends()) {
      steps.addTroubles(end);
      for (Event event : end.milestones()) {
        boolean relevant =
            event.kind() == EventKind.CONNECTION
                || event.kind() == EventKind.ASYNC
                || (event.kind() == EventKind.STATUS
                    && event.detail() != MigrationStatus.COMPLETED.ordinal());
        if (!relevant) {
          continue;
        }
        String text = EventText.milestone(event, end.role());
        if (isFatal(event)) {
          steps.addKey(end, event.nanos(), event.number(), text);
        } else {
          steps.add(end, event.nanos(), event.number(), text);
        }
      }
    }
  }

  /** The first event of an end that makes a queue pair, or more, unusable; null if none came. */
  static @Nullable Event firstFatal(Requests end) {
    return end.milestones().stream().filter(Failure::isFatal).findFirst().orElse(null);
  }

  /** Whether the event makes a queue pair, or more, unusable. */
  private static boolean isFatal(Event event) {
    if (event.kind() != EventKind.ASYNC) {
      return false;
    }
    AsyncEventType type = AsyncEventType.of(event.detail());
    return type != null && type.consequence() == AsyncEventType.Consequence.FATAL;
  }
}
