// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.text.AxisUnit;

/**
 * The contents of a chart.
 *
 * @param title a few words
 * @param series one or more; the first one is drawn on top
 * @param ceiling a limit for the values; null for none
 * @param waits counters of nanoseconds spent waiting; such stretches are shaded
 * @param failures the kind of completions whose failures are marked; null for none
 */
public record ChartSpec(
    String title,
    AxisUnit unit,
    List<Series> series,
    @Nullable Ceiling ceiling,
    List<Metric> waits,
    @Nullable EventKind failures) {

  /**
   * A limit. It is always written, and drawn as a dashed line when values come near it.
   *
   * @param label for example {@code queue depth}
   * @param metric the metric that holds it; null when it is fixed
   * @param fixed the limit when {@code metric} is null; empty for none
   * @param near the line is drawn when a value exceeds this share of the limit, 0 to 1
   */
  public record Ceiling(String label, @Nullable Metric metric, OptionalLong fixed, double near) {}

  /** A chart of series only. */
  public static ChartSpec of(String title, AxisUnit unit, Series... series) {
    return new ChartSpec(title, unit, List.of(series), null, List.of(), null);
  }

  /** This chart with a limit that is one of the session's metrics; 0 means that it is unknown. */
  public ChartSpec withCeiling(String label, Metric metric, double near) {
    var limit = new Ceiling(label, metric, OptionalLong.empty(), near);
    return new ChartSpec(title, unit, series, limit, waits, failures);
  }

  /** This chart with a fixed limit. */
  public ChartSpec withCeiling(String label, OptionalLong fixed, double near) {
    var limit = new Ceiling(label, null, fixed, near);
    return new ChartSpec(title, unit, series, limit, waits, failures);
  }

  /** This chart with waiting shaded. */
  public ChartSpec withWaits(Metric... nanoseconds) {
    return new ChartSpec(title, unit, series, ceiling, List.of(nanoseconds), failures);
  }

  /** This chart with failed completions of a queue marked. */
  public ChartSpec withFailures(EventKind completions) {
    return new ChartSpec(title, unit, series, ceiling, waits, completions);
  }
}
