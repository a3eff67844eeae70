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
 * @param downtimeNanos how long the guest would stand still if it were stopped at the end of this
 *     round, {@link #UNKNOWN} when it cannot be told
 * @param rounds that go on or are still to come before the switch-over, 0 when it cannot be told
 * @param basis what the estimate rests on, a phrase; empty when there is none
 * @param advice what the user can do when it does not converge; empty otherwise
 */
public record Estimate(
    Outlook outlook, long nanos, long downtimeNanos, int rounds, String basis, String advice) {
  /** A time that cannot be told. */
  public static final long UNKNOWN = -1;

  /** Nothing can be told. */
  static final Estimate NONE = new Estimate(Outlook.UNKNOWN, UNKNOWN, UNKNOWN, 0, "", "");

  /** Dirty rate over bandwidth above which rounds shrink too slowly to call it converging. */
  private static final double HOPELESS = 0.95;

  /** Nobody waits for more rounds; with {@link #HOPELESS} each is smaller by a twentieth. */
  private static final int MOST_ROUNDS = 100;

  /** Will it converge? */
  public enum Outlook {
    /** Nothing was measured yet. */
    UNKNOWN("not known yet"),
    /** The first round goes on; how fast the guest writes is known after it. */
    FIRST_ROUND("known after round 1"),
    /** Each round is smaller than the one before. */
    CONVERGES("yes"),
    /** What the guest writes during this round fits the downtime limit. */
    SWITCH_OVER_NEXT("yes, next"),
    /** The guest writes as fast as its RAM is sent. */
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
   * Judges by the metrics of a source that is sending RAM. What counts is not what remains of this
   * round, but what the guest writes until it is over: that is what the next sync of the dirty log
   * finds.
   *
   * @param rate bytes of RAM a second that arrived just now
   */
  public static Estimate of(Metrics metrics, double rate) {
    long remaining = metrics.get(Metric.RAM_REMAINING);
    long rounds = metrics.get(Metric.DIRTY_SYNC_COUNT);
    // QEMU judges by the last round's bandwidth too: a moment's throughput is too restless.
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
          "end of round 1, at " + Format.rate(bandwidth),
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
    return "needs " + Format.duration(downtime) + " of downtime";
  }

  private static long nanos(double seconds) {
    return (long) (Math.max(0, seconds) * 1e9);
  }
}
