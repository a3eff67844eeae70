// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import java.util.Objects;
import org.wridscope.analysis.Anomaly;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.Timeline;
import org.wridscope.analysis.Waits;
import org.wridscope.analysis.WorkRequests;

/**
 * The time between an unusual request and the one that it is to be told apart from: the request
 * that it overtook, the one for which its completion was dropped, or the one that ended next to it.
 */
final class AnomalySpan {
  /** How many requests that ended at the same moment are passed over. */
  private static final int MOST_PASSED = 256;

  private final Requests requests;
  private final Anomaly what;
  private final QueueType queue;
  private final long now;
  private final long other;

  /**
   * @param what about a request
   * @param nowNanos the moment that open requests reach
   */
  AnomalySpan(Requests requests, Anomaly what, long nowNanos) {
    this.requests = requests;
    this.what = what;
    queue = Objects.requireNonNull(what.queue(), "an anomaly of a request");
    now = nowNanos;
    other = other();
  }

  /** When the first of the two happened. */
  long fromNanos() {
    return Math.min(what.nanos(), other);
  }

  /** When the second one happened. */
  long toNanos() {
    return Math.max(what.nanos(), other);
  }

  private long other() {
    Marks marks = requests.marks();
    for (long mark = marks.indexOf(what.nanos());
        mark < marks.end() && marks.nanos(mark) == what.nanos();
        mark++) {
      if (marks.queue(mark) == queue && marks.request(mark) == what.id()) {
        switch (marks.kind(mark)) {
          case RECEIVE_OVERTOOK_SEND -> {
            return moment(QueueType.SEND, marks.other(mark));
          }
          case OUT_OF_ORDER -> {
            return moment(queue, marks.other(mark));
          }
          case DROPPED -> {
            Waits waits = requests.waits();
            long wait = marks.other(mark);
            return wait < waits.first() || wait >= waits.end()
                ? neighbour()
                : moment(QueueType.of(waits.wrid(wait)), waits.request(wait));
          }
          default -> {
            // about one request only
          }
        }
      }
    }
    return neighbour();
  }

  /** When another request ended; if it has not, when it was posted. */
  private long moment(QueueType of, long id) {
    WorkRequests all = requests.of(of);
    if (!all.has(id)) {
      return neighbour();
    }
    long nanos = all.isOpen(id) ? all.postedNanos(id) : all.endedNanos(id);
    return nanos == what.nanos() ? neighbour() : nanos;
  }

  /** When the request ended that is nearest in time; as long before as it was open if none is. */
  private long neighbour() {
    Timeline ended = requests.of(queue).ended();
    long at = ended.indexOf(what.nanos());
    long before = Long.MIN_VALUE;
    if (at > ended.first()) {
      before = ended.nanos(at - 1);
    }
    long after = Long.MAX_VALUE;
    for (long i = at; i < Math.min(ended.end(), at + MOST_PASSED); i++) {
      if (ended.nanos(i) > what.nanos()) {
        after = ended.nanos(i);
        break;
      }
    }
    boolean isBefore =
        before != Long.MIN_VALUE
            && (after == Long.MAX_VALUE || what.nanos() - before <= after - what.nanos());
    if (isBefore) {
      return before;
    }
    if (after != Long.MAX_VALUE) {
      return after;
    }
    WorkRequests all = requests.of(queue);
    return all.has(what.id()) && all.postedNanos(what.id()) != what.nanos()
        ? all.postedNanos(what.id())
        : Math.max(now, what.nanos());
  }
}
