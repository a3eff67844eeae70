// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;

/**
 * Whether and when a migration will get to its switch-over, as far as can be told from its last
 * round.
 *
 * @param nanos until then, {@link #UNKNOWN} when it cannot be told
 * @param basis what the estimate rests on, a phrase; empty when there is none
 * @param advice what the user can do when it does not converge; empty otherwise
 */
public record Estimate(Verdict verdict, long nanos, String basis, String advice) {
  /** A time that cannot be told. */
  public static final long UNKNOWN = -1;

  /** Dirty rate over bandwidth above which rounds shrink too slowly to call it converging. */
  private static final double HOPELESS = 0.95;

  /** Will it converge? */
  public enum Verdict {
    /** Nothing was measured yet. */
    UNKNOWN("not known yet"),
    /** The first round goes on; how fast the guest writes is known after it. */
    FIRST_ROUND("known after round 1"),
    /** Each round is smaller than the one before. */
    CONVERGES("yes"),
    /** What remains fits the downtime limit. */
    SWITCH_OVER_NEXT("yes, next"),
    /** The guest writes as fast as its RAM is sent. */
    DOES_NOT_CONVERGE("no");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Judges by the metrics of a source that is sending RAM.
   *
   * @param rate bytes of RAM a second dealt with just now
   */
  public static Estimate of(Metrics metrics, double rate) {
    long remaining = metrics.get(Metric.RAM_REMAINING);
    long rounds = metrics.get(Metric.DIRTY_SYNC_COUNT);
    // QEMU judges by the last round's bandwidth too: a moment's throughput is too restless.
    long measured = metrics.get(Metric.BANDWIDTH);
    double bandwidth = measured > 0 ? measured : rate;
    long dirty = metrics.get(Metric.DIRTY_BYTES_RATE);
    if (bandwidth <= 0 || metrics.get(Metric.RAM_TOTAL) == 0) {
      return new Estimate(Verdict.UNKNOWN, UNKNOWN, "", "");
    }
    if (rounds <= 1) {
      return new Estimate(
          Verdict.FIRST_ROUND,
          nanos(remaining / bandwidth),
          "end of round 1, at " + Format.rate(bandwidth),
          "");
    }
    double allowed = bandwidth * (metrics.get(Metric.DOWNTIME_LIMIT) / 1e9);
    String basis =
        "round %d: %s sent, %s dirtied"
            .formatted(rounds - 1, Format.rate(bandwidth), Format.rate(dirty));
    if (remaining <= allowed) {
      return new Estimate(Verdict.SWITCH_OVER_NEXT, nanos(remaining / bandwidth), basis, "");
    }
    if (dirty >= HOPELESS * bandwidth) {
      return new Estimate(
          Verdict.DOES_NOT_CONVERGE, UNKNOWN, basis, advice(metrics, remaining, bandwidth));
    }
    // Remaining RAM shrinks by bandwidth less dirty rate until it is what may remain.
    return new Estimate(
        Verdict.CONVERGES, nanos((remaining - allowed) / (bandwidth - dirty)), basis, "");
  }

  private static String advice(Metrics metrics, long remaining, double bandwidth) {
    long limit = metrics.get(Metric.BANDWIDTH_LIMIT);
    if (limit > 0 && bandwidth > limit * 0.8) {
      return "raise bandwidth limit";
    }
    return "needs " + Format.duration(nanos(remaining / bandwidth)) + " of downtime";
  }

  private static long nanos(double seconds) {
    return (long) (Math.max(0, seconds) * 1e9);
  }
}
