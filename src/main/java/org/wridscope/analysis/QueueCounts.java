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
  private long signaled;
  private long inline;
  private long repeated;
  private long unsignaled;
  private long mostUnsignaled;
  private long emptyTimes;
  private long longestEmpty;

  /** When its last open request ended; only meant while none is open. */
  private long emptySince;

  private boolean fullOfUnsignaled;
  private long refused;
  private long ended;
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

  /**
   * A request is posted.
   *
   * @param signal whether it is to have a completion
   * @param repeats whether its wrid is that of another one that is to have a completion
   */
  void post(long nanos, long wrid, boolean signal, boolean repeats) {
    if (posted == 0) {
      firstWrid = wrid;
    } else if (open() == 0) {
      emptyTimes++;
      longestEmpty = Math.max(longestEmpty, nanos - emptySince);
    }
    signaled += signal ? 1 : 0;
    unsignaled = signal ? 0 : unsignaled + 1;
    mostUnsignaled = Math.max(mostUnsignaled, unsignaled);
    repeated += repeats ? 1 : 0;
    hasSeveralWrids |= wrid != firstWrid;
    posted++;
    mostOpen = Math.max(mostOpen, open());
  }

  void inline() {
    inline++;
  }

  /**
   * A request was not posted.
   *
   * @param full whether there was no room for it
   */
  void refuse(boolean full) {
    refused++;
    fullOfUnsignaled |= full && !signalsAll && open() > 0 && unsignaled >= open();
  }

  void end(long nanos) {
    ended++;
    emptySince = nanos;
  }

  void reopen() {
    ended--;
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

  /** Requests that were posted signaled; of a receive queue, and with sq_sig_all, all of them. */
  public long signaled() {
    return signalsAll ? posted : signaled;
  }

  /** Requests whose data was copied when they were posted. */
  public long inlined() {
    return inline;
  }

  /** The most unsignaled requests that were posted one after the other. */
  public long mostUnsignaled() {
    return signalsAll ? 0 : mostUnsignaled;
  }

  /** Requests that were posted while another one of the queue was to complete with their wrid. */
  public long repeated() {
    return repeated;
  }

  /** How often a request was posted when there had been others and none was left. */
  public long emptyTimes() {
    return emptyTimes;
  }

  /** The longest time until then without a request, in nanoseconds; 0 if it never was so. */
  public long longestEmpty() {
    return longestEmpty;
  }

  /** Whether it was full when none of its requests was signaled, so that none can complete. */
  boolean isFullOfUnsignaled() {
    return fullOfUnsignaled;
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
