// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long requests of each kind took from their post until their completion was polled. Requests
 * that failed, or that another completion covered, are not counted. Not thread-safe.
 */
public final class Latencies {
  /** Longer times are recorded as this. */
  private static final long LONGEST = TimeUnit.HOURS.toNanos(1);

  /** Two significant digits: a percentile is accurate to one per cent. */
  private static final int DIGITS = 2;

  private final Histogram[] histograms = new Histogram[RequestKind.values().length];

  Latencies() {
    for (int i = 0; i < histograms.length; i++) {
      histograms[i] = new Histogram(LONGEST, DIGITS);
    }
  }

  /** How long those requests took that were posted from a moment to before another one. */
  public static Latencies postedIn(Requests requests, long fromNanos, long toNanos) {
    var found = new Latencies();
    for (QueueType queue : QueueType.values()) {
      WorkRequests of = requests.of(queue);
      Timeline posted = of.posted();
      long end = posted.indexOf(toNanos);
      for (long i = posted.indexOf(fromNanos); i < end; i++) {
        long id = posted.id(i);
        if (of.has(id)
            && of.isPostKnown(id)
            && !of.isOpen(id)
            && !of.failed(id)
            && of.coveredBy(id) == WorkRequests.NONE) {
          found.record(of.kind(id), of.endedNanos(id) - of.postedNanos(id));
        }
      }
    }
    return found;
  }

  void record(RequestKind kind, long nanos) {
    histogram(kind).recordValue(Math.clamp(nanos, 0, LONGEST));
  }

  /** How many requests were counted. */
  public long count(RequestKind kind) {
    return histogram(kind).getTotalCount();
  }

  /**
   * A percentile of the times in nanoseconds, 0 when no request was counted.
   *
   * @param percentile 0 to 100
   */
  public long percentile(RequestKind kind, double percentile) {
    return count(kind) == 0 ? 0 : histogram(kind).getValueAtPercentile(percentile);
  }

  /** How many took between {@code low} and {@code high} nanoseconds, inclusive. */
  public long between(RequestKind kind, long low, long high) {
    return histogram(kind).getCountBetweenValues(low, Math.clamp(high, low, LONGEST));
  }

  private Histogram histogram(RequestKind kind) {
    return histograms[kind.ordinal()];
  }
}
