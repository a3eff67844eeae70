// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long requests of each kind took from their post to the poll of their own completion. Requests
 * that were covered by another's completion, and those that failed, are not counted. Not
 * thread-safe.
 */
public final class Latencies {
  /** Longer ones count as this long. */
  private static final long LONGEST = TimeUnit.HOURS.toNanos(1);

  /** Two significant digits: a percentile is right to one per cent. */
  private static final int DIGITS = 2;

  private final Histogram[] histograms = new Histogram[RequestKind.values().length];

  Latencies() {
    for (int i = 0; i < histograms.length; i++) {
      histograms[i] = new Histogram(LONGEST, DIGITS);
    }
  }

  void record(RequestKind kind, long nanos) {
    histogram(kind).recordValue(Math.clamp(nanos, 0, LONGEST));
  }

  /** How many were counted. */
  public long count(RequestKind kind) {
    return histogram(kind).getTotalCount();
  }

  /**
   * The nanoseconds that a share of the requests took at most, 0 when none was counted.
   *
   * @param percentile 0 to 100
   */
  public long percentile(RequestKind kind, double percentile) {
    return count(kind) == 0 ? 0 : histogram(kind).getValueAtPercentile(percentile);
  }

  /** How many took from {@code low} to {@code high} nanoseconds, both included. */
  public long between(RequestKind kind, long low, long high) {
    return histogram(kind).getCountBetweenValues(low, Math.clamp(high, low, LONGEST));
  }

  private Histogram histogram(RequestKind kind) {
    return histograms[kind.ordinal()];
  }
}
