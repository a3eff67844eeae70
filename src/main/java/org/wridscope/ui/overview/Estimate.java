// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.text.Format;

/**
 * Whether and when a migration will reach its switch-over, estimated from its last round.
 *
 * @param nanos time until the switch-over or, in the first round, until the end of that round;
 *     {@link #UNKNOWN} without an estimate
 * @param downtimeNanos expected downtime if the guest were paused at the end of this round, {@link
 *     #UNKNOWN} without an estimate
 * @param rounds before the switch-over, including the present one; 0 without an estimate
 * @param basis the figures behind the estimate, a phrase; empty without an estimate
 * @param advice what the user can do if it does not converge; empty otherwise
 */
public record Estimate(
    Outlook outlook, long nanos, long downtimeNanos, int rounds, String basis, String advice) {
  /** An unknown time. */
  public static final long UNKNOWN = -1;

  /** No estimate. */
  static final Estimate NONE = new Estimate(Outlook.UNKNOWN, UNKNOWN, UNKNOWN, 0, "", "");

  /** The ratio of dirty rate to bandwidth from which on rounds shrink too slowly to converge. */
  private static final double HOPELESS = 0.95;

  /** The largest number of rounds that still counts as converging. */
  private static final int MOST_ROUNDS = 100;

  /** Whether rounds get small enough for the switch-over. */
  public enum Outlook {
    /** Nothing was measured yet. */
    UNKNOWN("not known yet"),
    /** The first round goes on; the dirty rate is known after it. */
    FIRST_ROUND("known after round 1"),
    /** Each round is smaller than the one before. */
    CONVERGES("yes"),
    /** What the guest dirties during this round can be sent within the downtime limit. */
    SWITCH_OVER_NEXT("yes, next"),
    /** The guest dirties RAM as fast as it is sent. */
    DOES_NOT_CONVERGE("no");

    private final String text;

    Outlook(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * Estimates from the metrics of a source that is sending RAM. The size of the next round is what
   * the guest dirties until the end of this one, not what remains of this one.
   *
   * @param rate present throughput in bytes of RAM per second
   */
  public static Estimate of(Metrics metrics, double rate) {
    long remaining = metrics.get(Metric.RAM_REMAINING);
    long rounds = metrics.get(Metric.DIRTY_SYNC_COUNT);
    // Like QEMU, use the bandwidth of the last round: the present throughput varies too much.
    long measured = metrics.get(Metric.BANDWIDTH);
    double bandwidth = measured > 0 ? measured : rate;
    long dirty = metrics.get(Metric.DIRTY_BYTES_RATE);
    long total = metrics.get(Metric.RAM_TOTAL);
    if (bandwidth <= 0 || total == 0) {
      return NONE;
    }
    if (rounds <= 1) {
      return new Estimate(
          Outlook.FIRST_ROUND,
          nanos(remaining / bandwidth),
          UNKNOWN,
          0,
          "end of round 1, at %s".formatted(Format.rate(bandwidth)),
          "");
    }
    String basis =
        "round %d: %s sent, %s dirtied"
            .formatted(rounds - 1, Format.rate(bandwidth), Format.rate(dirty));
    double allowed = bandwidth * (metrics.get(Metric.DOWNTIME_LIMIT) / 1e9);
    double shrink = dirty / bandwidth;
    double next =
        Math.min((double) total, shrink * Math.max(remaining, metrics.get(Metric.ROUND_BYTES)));
    long downtime = nanos(next / bandwidth);
    if (next <= allowed) {
      return new Estimate(
          Outlook.SWITCH_OVER_NEXT, nanos(remaining / bandwidth), downtime, 1, basis, "");
    }
    double seconds = remaining / bandwidth;
    double size = next;
    int more = 1;
    while (shrink < HOPELESS && size > allowed && more < MOST_ROUNDS) {
      seconds += size / bandwidth;
      size *= shrink;
      more++;
    }
    return size > allowed
        ? new Estimate(
            Outlook.DOES_NOT_CONVERGE,
            UNKNOWN,
            downtime,
            0,
            basis,
            advice(metrics, downtime, bandwidth))
        : new Estimate(Outlook.CONVERGES, nanos(seconds), downtime, more, basis, "");
  }

  private static String advice(Metrics metrics, long downtime, double bandwidth) {
    long limit = metrics.get(Metric.BANDWIDTH_LIMIT);
    if (limit > 0 && bandwidth > limit * 0.8) {
      return "raise bandwidth limit";
    }
    return "needs %s of downtime".formatted(Format.duration(downtime));
  }

  private static long nanos(double seconds) {
    return (long) (Math.max(0, seconds) * 1e9);
  }
}
