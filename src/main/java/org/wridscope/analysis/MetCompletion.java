// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.wridscope.analysis.BothEnds.the;

import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/**
 * The first completion of a receive that a wait for something else met and handled.
 *
 * @param count how many completions were met, of every kind of request
 */
record MetCompletion(Requests end, long mark, long count) {

  /** Null when there is none, or when it is no longer kept. */
  static @Nullable MetCompletion first(Requests end) {
    Marks marks = end.marks();
    long count = marks.count(Marks.Kind.MET);
    for (long mark = marks.first(); count > 0 && mark < marks.end(); mark++) {
      if (marks.kind(mark) == Marks.Kind.MET
          && marks.queue(mark) == QueueType.RECEIVE
          && end.receives().has(marks.request(mark))) {
        return new MetCompletion(end, mark, count);
      }
    }
    return null;
  }

  void addTo(Steps steps) {
    Marks marks = end.marks();
    steps.add(
        end,
        marks.nanos(mark),
        marks.event(mark),
        "at %s the wait for %s polls the completion of %s and handles it, which is harmless%s."
            .formatted(
                the(end.role()),
                RequestFacts.takingWait(end, mark),
                RequestFacts.name(end.receives(), marks.request(mark)),
                count == 1
                    ? ""
                    : " (completions handled by other waits: %s)".formatted(Format.count(count))));
  }
}
