// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.registrations;

import java.util.List;
import java.util.OptionalLong;
import javafx.scene.Node;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.doctor.MemlockLimit;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.ui.Palette;
import org.wridscope.ui.SessionPair;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.AxisUnit;
import org.wridscope.ui.chart.ChartGrid;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;
import org.wridscope.ui.chart.Series.Style;

/** Memory regions of RAM at both ends: how many, how many bytes they pin, and what they cost. */
public final class RegistrationsView implements View {
  /** The limit is drawn as soon as this share of it is pinned. */
  private static final double NEAR_LIMIT = 0.25;

  private final OptionalLong limit;
  private final ChartGrid grid;

  /** Makes an empty view over the shared stretch of time. */
  public RegistrationsView(TimeRange range) {
    this(range, MemlockLimit.read());
  }

  RegistrationsView(TimeRange range, OptionalLong limit) {
    this.limit = limit;
    grid =
        new ChartGrid(
            "Registrations",
            range,
            List.of(alive(), pinned(), rate(), cost()),
            "Select a session to see how it registers memory.",
            this::facts);
  }

  private static ChartSpec alive() {
    return ChartSpec.of(
        "Registrations",
        AxisUnit.COUNT,
        new Series(
            "alive", Palette.REGISTERED, new Reading.Gauge(Metric.REGISTRATIONS_ALIVE), Style.AREA),
        new Series(
            "peak", Palette.TEXT, new Reading.Gauge(Metric.REGISTRATIONS_PEAK), Style.DASHED));
  }

  private ChartSpec pinned() {
    return ChartSpec.of(
            "RAM pinned",
            AxisUnit.BYTES,
            new Series(
                "pinned",
                Palette.REGISTERED,
                new Reading.Gauge(Metric.REGISTERED_BYTES),
                Style.AREA))
        .withCeiling("memlock limit", limit, NEAR_LIMIT);
  }

  private static ChartSpec rate() {
    return ChartSpec.of(
        "Rate",
        AxisUnit.COUNT_PER_SECOND,
        new Series(
            "registrations",
            Palette.REGISTERED,
            new Reading.Rate(Metric.REGISTRATIONS_TOTAL),
            Style.LINE),
        new Series(
            "round trips",
            Palette.SEND,
            new Reading.Rate(Metric.REGISTRATION_ROUND_TRIPS),
            Style.DASHED));
  }

  private static ChartSpec cost() {
    return ChartSpec.of(
        "Time per registration",
        AxisUnit.NANOSECONDS,
        new Series(
            "mean",
            Palette.REGISTERED,
            new Reading.Quotient(Metric.REGISTRATION_TIME, Metric.REGISTRATIONS_TOTAL),
            Style.LINE));
  }

  private String facts(SessionTelemetry telemetry) {
    Metrics metrics = telemetry.metrics();
    long total = metrics.get(Metric.REGISTRATIONS_TOTAL);
    long time = metrics.get(Metric.REGISTRATION_TIME);
    return "%s in all · hinted chunks %s · %s given back early, %s put off · %s each · %s round trips%s"
        .formatted(
            Format.count(total),
            Format.count(metrics.get(Metric.UNREGISTER_HINTS)),
            Format.count(metrics.get(Metric.UNREGISTRATIONS)),
            Format.count(metrics.get(Metric.UNREGISTRATIONS_DEFERRED)),
            total == 0 ? "–" : Format.duration(time / total),
            Format.count(metrics.get(Metric.REGISTRATION_ROUND_TRIPS)),
            limitText(metrics.get(Metric.REGISTERED_BYTES)));
  }

  private String limitText(long pinned) {
    if (limit.isEmpty()) {
      return "";
    }
    long bytes = limit.getAsLong();
    return " · memlock limit " + Format.bytes(bytes) + (pinned > bytes ? ", not in force" : "");
  }

  @Override
  public String title() {
    return grid.title();
  }

  @Override
  public Node node() {
    return grid.node();
  }

  @Override
  public void show(@Nullable SessionPair pair) {
    grid.show(pair);
  }

  @Override
  public void pulse(long nowNanos) {
    grid.pulse(nowNanos);
  }

  @Override
  public void theme(boolean dark) {
    grid.theme(dark);
  }
}
