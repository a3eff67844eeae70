// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.AxisUnit;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;
import org.wridscope.ui.chart.TimeSeriesView;

/** The charts of the overview: how fast, how much is left, and the other views in a few lines. */
public final class Charts {
  private Charts() {}

  /**
   * What is sent a second against what the guest dirties, under the bandwidth limit. Zero pages,
   * which cost nothing to send, would only hide how the two compare.
   */
  public static TimeSeriesView rates(TimeRange range) {
    return withoutTimes(
        ChartSpec.of(
                "Rates",
                AxisUnit.BYTES_PER_SECOND,
                Series.dashed("dirtied", Palette.DIRTY, new Reading.Gauge(Metric.DIRTY_BYTES_RATE)),
                Series.area("sent", Palette.SEND, new Reading.Rate(Metric.RAM_TRANSFERRED)))
            .withCeiling("limit", Metric.BANDWIDTH_LIMIT, 0.5),
        range);
  }

  /** RAM that is still to be sent; it grows again at the end of a round of a busy guest. */
  public static TimeSeriesView remaining(TimeRange range) {
    return withoutTimes(
        ChartSpec.of(
            "Remaining",
            AxisUnit.BYTES,
            Series.area(
                "RAM to send", Palette.IN_TRANSIT, new Reading.Gauge(Metric.RAM_REMAINING))),
        range);
  }

  /** Completions of both queues, and failures of the send queue. */
  public static TimeSeriesView completions(TimeRange range) {
    return new TimeSeriesView(
        ChartSpec.of(
                "Completions",
                AxisUnit.COUNT_PER_SECOND,
                Series.dashed(
                    "receive", Palette.RECEIVE, new Reading.Rate(Metric.RECEIVES_COMPLETED)),
                Series.area("WRITE", Palette.SEND, new Reading.Rate(Metric.WRITES_COMPLETED)))
            .withFailures(EventKind.COMPLETION_SEND_QUEUE),
        range);
  }

  /** Memory regions alive. */
  public static View registrations(TimeRange range) {
    return new TimeSeriesView(
        ChartSpec.of(
            "Registrations",
            AxisUnit.COUNT,
            Series.area(
                "alive", Palette.REGISTERED, new Reading.Gauge(Metric.REGISTRATIONS_ALIVE))),
        range);
  }

  /** The charts below have the same times, with labels. */
  private static TimeSeriesView withoutTimes(ChartSpec spec, TimeRange range) {
    var chart = new TimeSeriesView(spec, range);
    chart.setTimeLabels(false);
    return chart;
  }
}
