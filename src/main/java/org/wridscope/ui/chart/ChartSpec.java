// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
 * @param failures the kinds of completions whose failures are marked; empty for none
 * @param stack what is shown while sends and receives complete in one queue; null for the same
 * @param separateOnly whether the chart is left out then
 */
public record ChartSpec(
    String title,
    AxisUnit unit,
    List<Series> series,
    @Nullable Ceiling ceiling,
    List<Metric> waits,
    Set<EventKind> failures,
    @Nullable Stack stack,
    boolean separateOnly) {

  /**
   * A limit. It is always written, and drawn as a dashed line when values come near it.
   *
   * @param label for example {@code queue depth}
   * @param metrics the metrics whose sum it is; 0 means that it is unknown
   * @param near the line is drawn when a value exceeds this share of the limit, 0 to 1
   */
  public record Ceiling(String label, List<Metric> metrics, double near) {}

  /**
   * What a chart shows of a completion queue that sends and receives share: its series stacked, and
   * failed and dropped completions marked.
   *
   * @param series from the lowest to the highest
   */
  public record Stack(
      String title, List<Series> series, @Nullable Ceiling ceiling, List<Metric> waits) {}

  /** A chart of series only. */
  public static ChartSpec of(String title, AxisUnit unit, Series... series) {
    return new ChartSpec(title, unit, List.of(series), null, List.of(), Set.of(), null, false);
  }

  /** This chart with a limit that is one of the session's metrics; 0 means that it is unknown. */
  public ChartSpec withCeiling(String label, Metric metric, double near) {
    return with(new Ceiling(label, List.of(metric), near));
  }

  private ChartSpec with(Ceiling limit) {
    return new ChartSpec(title, unit, series, limit, waits, failures, stack, separateOnly);
  }

  /** This chart with waiting shaded. */
  public ChartSpec withWaits(Metric... nanoseconds) {
    return new ChartSpec(
        title, unit, series, ceiling, List.of(nanoseconds), failures, stack, separateOnly);
  }

  /** This chart with failed completions of a queue marked. */
  public ChartSpec withFailures(EventKind completions) {
    return new ChartSpec(
        title, unit, series, ceiling, waits, Set.of(completions), stack, separateOnly);
  }

  /** This chart with other contents while sends and receives complete in one queue. */
  public ChartSpec whenShared(Stack shared) {
    return new ChartSpec(title, unit, series, ceiling, waits, failures, shared, separateOnly);
  }

  /** This chart, left out while sends and receives complete in one queue. */
  public ChartSpec unlessShared() {
    return new ChartSpec(title, unit, series, ceiling, waits, failures, stack, true);
  }

  /** The series of both forms: those of the stack come last. */
  List<Series> allSeries() {
    return stack == null
        ? series
        : Stream.concat(series.stream(), stack.series().stream()).toList();
  }

  /** The metrics of waits of both forms. */
  List<Metric> allWaits() {
    return stack == null
        ? waits
        : Stream.concat(waits.stream(), stack.waits().stream()).distinct().toList();
  }

  /** The limits of both forms. */
  List<Ceiling> allCeilings() {
    var all = new ArrayList<Ceiling>();
    if (ceiling != null) {
      all.add(ceiling);
    }
    Ceiling shared = stack == null ? null : stack.ceiling();
    if (shared != null) {
      all.add(shared);
    }
    return all;
  }
}
