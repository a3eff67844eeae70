// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.Role;

/**
 * Something unusual that one looks for among work requests.
 *
 * @param nanos when it happened, {@link System#nanoTime()}
 * @param role the end at which it happened
 * @param queue the queue of the request; null for a wait
 * @param id the request, the wait, or for {@link Kind#NOBODY_POSTED} the event of the completion
 */
public record Anomaly(long nanos, Role role, Kind kind, @Nullable QueueType queue, long id)
    implements Comparable<Anomaly> {
  private static final Comparator<Anomaly> ORDER =
      Comparator.comparingLong(Anomaly::nanos)
          .thenComparing(Anomaly::role)
          .thenComparing(Anomaly::kind)
          .thenComparingInt(anomaly -> anomaly.queue == null ? -1 : anomaly.queue.ordinal())
          .thenComparingLong(Anomaly::id);

  /** What is unusual. */
  public enum Kind {
    /** A completion with another status than success. */
    FAILED,
    /** A completion that came before that of an earlier request. */
    OUT_OF_ORDER,
    /** A completion that a wait for another one dropped. */
    DROPPED,
    /** The memory of a request was released before its completion, and was needed again. */
    RELEASED_TOO_EARLY,
    /** A request that was sent again, or that the peer's device refused. */
    SENT_AGAIN,
    /** A wait that took much of the time. */
    LONG_WAIT,
    /** A request of an ended session that has no completion. */
    NEVER_COMPLETED,
    /** A completion of a request of which no post was seen. */
    NOBODY_POSTED
  }

  @Override
  public int compareTo(Anomaly other) {
    return ORDER.compare(this, other);
  }
}
