// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.registrations;

import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.wridscope.control.Session;
import org.wridscope.figures.Figure;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.Format;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.ChartGrid;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;

/**
 * Memory regions at both ends of a migration, those of RAM, or of a program: how many, how many
 * bytes they pin, and what they cost.
 */
public final class RegistrationCharts {
  /** The share of the limit from which on it is drawn. */
  private static final double NEAR_LIMIT = 0.25;

  static final String TITLE = "Registrations";

  private RegistrationCharts() {}

  /** Makes an empty view over the shared stretch of time. */
  public static View view(TimeRange range) {
    return new RegistrationsView(
        grid(
            range,
            List.of(alive(), pinned("RAM pinned"), rate(true), cost()),
            RegistrationCharts::facts),
        grid(
            range,
            List.of(alive(), pinned("Memory pinned"), rate(false)),
            RegistrationCharts::factsOfProgram));
  }

  private static ChartGrid grid(
      TimeRange range, List<ChartSpec> charts, Function<Session, String> facts) {
    return new ChartGrid(
        TITLE,
        range,
        charts,
        "Select a migration or a program to see how it registers memory.",
        facts);
  }

  private static String factsOfProgram(Session session) {
    var reading = session.reading();
    return Stream.of(
            Figure.REGISTERED_BYTES,
            Figure.REGISTERED_BYTES_PEAK,
            Figure.REGISTRATIONS_TOTAL,
            Figure.DEREGISTRATIONS_TOTAL,
            Figure.REGISTRATIONS_REFUSED)
        .map(figure -> "%s: %s".formatted(figure.title(), figure.text(reading)))
        .collect(Collectors.joining(" · "));
  }

  private static ChartSpec alive() {
    return ChartSpec.of(
        "Registrations",
        AxisUnit.COUNT,
        Series.area("alive", Palette.REGISTERED, new Reading.Gauge(Metric.REGISTRATIONS_ALIVE)),
        Series.dashed("peak", Palette.TEXT, new Reading.Gauge(Metric.REGISTRATIONS_PEAK)));
  }

  private static ChartSpec pinned(String title) {
    return ChartSpec.of(
            title,
            AxisUnit.BYTES,
            Series.area("pinned", Palette.REGISTERED, new Reading.Gauge(Metric.REGISTERED_BYTES)))
        .withCeiling("memlock limit", Metric.MEMLOCK_LIMIT, NEAR_LIMIT);
  }

  /**
   * @param trips whether another end asks for keys
   */
  private static ChartSpec rate(boolean trips) {
    Series made =
        Series.line("made", Palette.REGISTERED, new Reading.Rate(Metric.REGISTRATIONS_TOTAL));
    Series released =
        Series.line("released", Palette.QUEUED, new Reading.Rate(Metric.DEREGISTRATIONS_TOTAL));
    Series asked =
        Series.dashed("trips", Palette.SEND, new Reading.Rate(Metric.REGISTRATION_ROUND_TRIPS));
    return trips
        ? ChartSpec.of("Rate", AxisUnit.COUNT_PER_SECOND, made, released, asked)
        : ChartSpec.of("Rate", AxisUnit.COUNT_PER_SECOND, made, released);
  }

  private static ChartSpec cost() {
    return ChartSpec.of(
        "Time per registration",
        AxisUnit.NANOSECONDS,
        Series.line(
            "mean",
            Palette.REGISTERED,
            new Reading.Quotient(Metric.REGISTRATION_TIME, Metric.REGISTRATIONS_TOTAL)));
  }

  private static String facts(Session session) {
    Metrics metrics = session.telemetry().metrics();
    var reading = session.reading();
    String trips =
        "%s: %s"
            .formatted(
                Figure.REGISTRATION_ROUND_TRIPS.title(),
                Figure.REGISTRATION_ROUND_TRIPS.text(reading));
    OptionalLong total = Figure.REGISTRATIONS_TOTAL.in(reading);
    if (total.isEmpty()) {
      return "%s, because packets have only the destination's keys · %s"
          .formatted(Figure.NOT_KNOWN, trips);
    }
    long time = Figure.REGISTRATION_TIME.in(reading).orElse(0);
    return "%s in total, %s each · %s%s%s"
        .formatted(
            Format.count(total.getAsLong()),
            total.getAsLong() == 0 || time == 0 ? "–" : Format.duration(time / total.getAsLong()),
            trips,
            limitText(metrics),
            givenBackText(metrics));
  }

  private static String givenBackText(Metrics metrics) {
    long hinted = metrics.get(Metric.UNREGISTER_HINTS);
    long givenBack = metrics.get(Metric.UNREGISTRATIONS);
    long putOff = metrics.get(Metric.UNREGISTRATIONS_DEFERRED);
    long refused = metrics.get(Metric.UNREGISTRATIONS_REFUSED);
    if (hinted + givenBack + putOff + refused == 0) {
      return "";
    }
    return " · %s released early, %s postponed, %s hints%s"
        .formatted(
            Format.count(givenBack),
            Format.count(putOff),
            Format.count(hinted),
            refused == 0 ? "" : ", queue full %s times".formatted(Format.count(refused)));
  }

  private static String limitText(Metrics metrics) {
    long limit = metrics.get(Metric.MEMLOCK_LIMIT);
    if (limit == 0) {
      return "";
    }
    boolean inForce = metrics.get(Metric.REGISTERED_BYTES) <= limit;
    return " · memlock limit %s%s".formatted(Format.bytes(limit), inForce ? "" : ", not in force");
  }
}
