// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;

/** How the engine's thread of a source spent its time during the last second. */
public final class TimeShares {
  private static final long WINDOW_NANOS = 1_000_000_000;

  /** Smaller shares are left out. */
  private static final double NEGLIGIBLE = 0.02;

  /** What can limit the throughput of a migration. */
  public enum Cause {
    ZERO_SCAN("zero scan", "looking for zero pages", Metric.SCAN_TIME),
    REGISTRATION(
        "registration",
        "registering memory here, and waiting for the destination to register its own",
        Metric.REGISTRATION_TIME,
        Metric.WAIT_REGISTER_TIME),
    SEND_QUEUE(
        "link", "the send queue is full: the link is saturated", Metric.WAIT_SEND_QUEUE_TIME),
    READY("destination", "waiting for the destination's READY", Metric.WAIT_READY_TIME),
    LIMIT("bandwidth limit", "waiting because of the bandwidth limit", Metric.WAIT_BANDWIDTH_TIME),
    /** The rest: posting, polling, the dirty log. */
    ENGINE("engine", "posting requests and reading the dirty log");

    private final String text;
    private final String explanation;
    private final Metric[] metrics;

    Cause(String text, String explanation, Metric... metrics) {
      this.text = text;
      this.explanation = explanation;
      this.metrics = metrics;
    }

    public String text() {
      return text;
    }

    /** A phrase for a tool tip. */
    public String explanation() {
      return explanation;
    }
  }

  /**
   * The share of the time that one cause took.
   *
   * @param share 0 to 1
   */
  public record Share(Cause cause, double share) {}

  private static final class Sample {
    final long nanos;
    final long[] spent = new long[Cause.values().length];

    Sample(long nanos) {
      this.nanos = nanos;
    }
  }

  private final List<Sample> samples = new ArrayList<>();

  /** Forgets all samples, for another session. */
  public void clear() {
    samples.clear();
  }

  public void sample(long nanos, Metrics metrics) {
    var sample = new Sample(nanos);
    for (Cause cause : Cause.values()) {
      for (Metric metric : cause.metrics) {
        sample.spent[cause.ordinal()] += metrics.get(metric);
      }
    }
    samples.add(sample);
    while (samples.size() > 2 && nanos - samples.get(1).nanos >= WINDOW_NANOS) {
      samples.removeFirst();
    }
  }

  /** The shares, the largest first, without negligible ones; empty while nothing was measured. */
  public List<Share> shares() {
    if (samples.size() < 2) {
      return List.of();
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    double elapsed = last.nanos - first.nanos;
    // The clock of a run that is stepped stands still.
    if (elapsed <= 0) {
      return List.of();
    }
    double known = 0;
    var shares = new ArrayList<Share>();
    for (Cause cause : Arrays.asList(Cause.values())) {
      if (cause == Cause.ENGINE) {
        continue;
      }
      double share =
          Math.clamp(
              (last.spent[cause.ordinal()] - first.spent[cause.ordinal()]) / elapsed, 0.0, 1.0);
      known += share;
      shares.add(new Share(cause, share));
    }
    if (known == 0) {
      return List.of();
    }
    shares.add(new Share(Cause.ENGINE, Math.max(0, 1 - known)));
    shares.removeIf(share -> share.share < NEGLIGIBLE);
    shares.sort(Comparator.comparingDouble(Share::share).reversed());
    return List.copyOf(shares);
  }
}
