// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Wait;
import org.wridscope.text.Format;

/** Explains a migration that runs, and that a limit of its operator makes long. */
final class Limited {
  /** After so many rounds, a guest that will not fit the downtime limit is no coincidence. */
  private static final long MANY_ROUNDS = 4;

  private final BothEnds both;
  private final Metrics metrics;

  private Limited(BothEnds both, Metrics metrics) {
    this.both = both;
    this.metrics = metrics;
  }

  /** Returns null if no limit is known to hold the source back. */
  static @Nullable Explanation explain(BothEnds both, long now) {
    Requests source = both.end(Role.SOURCE);
    if (source == null
        || source.telemetry().status() != MigrationStatus.ACTIVE
        || !isSending(source, now)) {
      return null;
    }
    var limited = new Limited(both, source.telemetry().metrics());
    Explanation byBandwidth = limited.byBandwidth(now - source.telemetry().startNanos());
    return byBandwidth != null ? byBandwidth : limited.byDowntime();
  }

  /** Whether it sends, or the limit alone keeps it from sending. */
  private static boolean isSending(Requests source, long now) {
    Wait waiting = source.telemetry().waitingFor();
    return now - source.lastNanos() < Explainer.LONG_WAIT_NANOS
        || (waiting != null && waiting.kind() == Wait.Kind.BANDWIDTH);
  }

  private @Nullable Explanation byBandwidth(long ranNanos) {
    long limit = metrics.get(Metric.BANDWIDTH_LIMIT);
    long active = Math.max(1, ranNanos - metrics.get(Metric.SETUP_TIME));
    double share = Math.clamp((double) metrics.get(Metric.WAIT_BANDWIDTH_TIME) / active, 0.0, 1.0);
    return limit == 0 || share < Findings.MATTERS
        ? null
        : of(
            "The bandwidth limit of %s makes this migration slow: it held the source back for"
                    .formatted(Format.rate(limit))
                + " %s of the time.".formatted(Format.percent(share)),
            "Raise the bandwidth limit if the link has bandwidth to spare; it takes effect at"
                + " once.");
  }

  private @Nullable Explanation byDowntime() {
    long limit = metrics.get(Metric.DOWNTIME_LIMIT);
    long expected = metrics.get(Metric.EXPECTED_DOWNTIME);
    long rounds = metrics.get(Metric.DIRTY_SYNC_COUNT);
    return limit == 0 || rounds < MANY_ROUNDS || expected <= limit
        ? null
        : of(
            "The downtime limit of %s keeps this migration from its switch-over: after %s, the"
                    .formatted(Format.duration(limit), Format.counted(rounds, "round"))
                + " guest would be paused for %s.".formatted(Format.duration(expected)),
            "Raise the downtime limit if the guest may be paused for that long, or let the guest"
                + " write less.");
  }

  private Explanation of(String headline, String remedy) {
    Explanation course = Course.explain(both);
    return new Explanation(State.RUNNING, headline, course.summary(), course.steps(), remedy);
  }
}
