// SPDX-License-Identifier: Apache-2.0
package org.wridscope.figures;

import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/**
 * Whether and when a migration will reach its switch-over, estimated from its rounds.
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
  public static final Estimate NONE = new Estimate(Outlook.UNKNOWN, UNKNOWN, UNKNOWN, 0, "", "");

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
   * Estimates from what a source that is sending RAM has measured. The size of the next round is
   * what the guest dirties until the end of this one, not what remains of this one.
   *
   * @param rate present throughput in bytes of RAM per second, for the first round; 0 if it is not
   *     known
   */
  public static Estimate of(Reading source, double rate) {
    if (source.role() != Role.SOURCE) {
      return NONE;
    }
    long remaining = source.get(Metric.RAM_REMAINING);
    long rounds = source.get(Metric.DIRTY_SYNC_COUNT);
    // The bandwidth of the rounds: the present throughput varies too much.
    long measured = source.get(Metric.BANDWIDTH);
    double bandwidth = measured > 0 ? measured : rate;
    long dirty = source.get(Metric.DIRTY_BYTES_RATE);
    long total = source.get(Metric.RAM_TOTAL);
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
        "newest rounds: %s sent, %s dirtied".formatted(Format.rate(bandwidth), Format.rate(dirty));
    double allowed = bandwidth * (source.get(Metric.DOWNTIME_LIMIT) / 1e9);
    double shrink = dirty / bandwidth;
    double next =
        Math.min((double) total, shrink * Math.max(remaining, source.get(Metric.ROUND_BYTES)));
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
            advice(source, downtime, bandwidth))
        : new Estimate(Outlook.CONVERGES, nanos(seconds), downtime, more, basis, "");
  }

  /** Whether rounds shrink too slowly to converge at these rates, in bytes per second. */
  public static boolean isHopeless(long dirtyRate, long bandwidth) {
    return dirtyRate > 0 && dirtyRate >= HOPELESS * bandwidth;
  }

  private static String advice(Reading source, long downtime, double bandwidth) {
    long limit = source.get(Metric.BANDWIDTH_LIMIT);
    if (limit > 0 && bandwidth > limit * 0.8) {
      return "raise bandwidth limit";
    }
    return "needs %s of downtime".formatted(Format.duration(downtime));
  }

  private static long nanos(double seconds) {
    return (long) (Math.max(0, seconds) * 1e9);
  }
}
