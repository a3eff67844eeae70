// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.EnumMap;
import java.util.Map;
import org.wridscope.telemetry.QueueId;
import org.wridscope.verbs.WorkCompletionStatus;

/** What was counted of one queue. Not thread-safe. */
public final class QueueCounts {
  private final QueueId id;
  private final Map<WorkCompletionStatus, Long> polled = new EnumMap<>(WorkCompletionStatus.class);
  private long posted;
  private long mostOpen;
  long refused;
  long ended;
  long covered;
  long unmatched;
  long ambiguous;

  /** Whether every request of this send queue has a completion, see sq_sig_all. */
  boolean signalsAll;

  /** Whether its requests had more than one wrid. */
  boolean hasSeveralWrids;

  /** Whether two of its signaled requests with the same wrid were open at the same time. */
  boolean repeatsWrids;

  /** The wrid of the first request. */
  long firstWrid;

  /** All unsignaled requests before this one have ended. */
  long uncoveredFrom;

  QueueCounts(QueueId id) {
    this.id = id;
  }

  void post(long wrid) {
    if (posted == 0) {
      firstWrid = wrid;
    }
    hasSeveralWrids |= wrid != firstWrid;
    posted++;
    mostOpen = Math.max(mostOpen, open());
  }

  void polled(int status) {
    polled.merge(WorkCompletionStatus.of(status), 1L, Long::sum);
  }

  /** The queue. */
  public QueueId id() {
    return id;
  }

  /** Requests posted to it. */
  public long posted() {
    return posted;
  }

  /** Requests that the post function refused. */
  public long refused() {
    return refused;
  }

  /** Requests posted to it that have not ended. */
  public long open() {
    return posted - ended;
  }

  /** The most requests that were posted and had not ended at one time. */
  public long mostOpen() {
    return mostOpen;
  }

  /** Unsignaled requests that ended with the completion of a later one. */
  public long covered() {
    return covered;
  }

  /** Completions without a request. */
  public long unmatched() {
    return unmatched;
  }

  /** Completions of which it is not known whose they are, since their wrid is that of several. */
  public long ambiguous() {
    return ambiguous;
  }

  /** Completions that named this queue pair, by status. */
  public Map<WorkCompletionStatus, Long> polled() {
    return Map.copyOf(polled);
  }
}
