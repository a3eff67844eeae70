// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Hits;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Event;

/** The failures among the events of the shown ends, and the way from one to the next. */
final class LogFailures {
  /** Of the 16 ms of a frame. */
  private static final long BUDGET_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final int PIECE = 4_096;

  private final LogRows rows;
  private final Map<Session, Hits> failures = new LinkedHashMap<>();

  LogFailures(LogRows rows) {
    this.rows = rows;
  }

  /** Looks for the failures of other sessions. */
  void show(List<Session> sessions) {
    failures.clear();
    for (Session session : sessions) {
      failures.put(session, new Hits(session.telemetry().log(), EventText.Group.FAILURES));
    }
  }

  /** Examines more events. */
  void advance() {
    long end = System.nanoTime() + BUDGET_NANOS;
    for (Hits each : failures.values()) {
      while (each.advance(PIECE) == PIECE && System.nanoTime() < end) {
        // until all events are examined, or it is time for the next frame
      }
    }
  }

  /**
   * The row of the next failure among the rows.
   *
   * @param from a row; after the last row, the first one follows
   * @return null if there is none
   */
  @Nullable Way next(int from, boolean forwards) {
    int best = -1;
    int outermost = -1;
    for (Map.Entry<Session, Hits> each : failures.entrySet()) {
      best = better(best, neighbour(each.getKey(), each.getValue(), from, forwards), forwards);
      int beyond = forwards ? -1 : rows.size();
      outermost =
          better(outermost, neighbour(each.getKey(), each.getValue(), beyond, forwards), forwards);
    }
    return best >= 0 ? new Way(best, false) : outermost < 0 ? null : new Way(outermost, true);
  }

  /**
   * Where to go.
   *
   * @param wrapped whether the search went on at the other end of the rows
   */
  record Way(int row, boolean wrapped) {}

  private static int better(int one, int other, boolean forwards) {
    return one < 0 || other < 0
        ? Math.max(one, other)
        : forwards ? Math.min(one, other) : Math.max(one, other);
  }

  /** The nearest failure of a session that is a row; -1 for none. */
  private int neighbour(Session session, Hits of, int from, boolean forwards) {
    long first = firstAfter(of, from, forwards);
    for (long i = forwards ? first : first - 1; i >= 0 && i < of.count(); i += forwards ? 1 : -1) {
      // It may be filtered out.
      int row = rows.indexOf(session, of.event(i));
      if (row >= 0 && (forwards ? row > from : row < from)) {
        return row;
      }
    }
    return -1;
  }

  /** The first failure at a row or after it; forwards of several at its moment, else after them. */
  private long firstAfter(Hits of, int row, boolean forwards) {
    if (row < 0 || row >= rows.size()) {
      return row < 0 ? 0 : of.count();
    }
    Event event = rows.get(row).event();
    return event == null ? 0 : of.indexOf(forwards ? event.nanos() : event.nanos() + 1);
  }
}
