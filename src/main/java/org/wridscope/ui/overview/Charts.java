// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import java.util.List;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.text.AxisUnit;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;
import org.wridscope.ui.chart.TimeSeriesView;

/** The charts of the overview: rates, remaining RAM, and small versions of other views. */
public final class Charts {
  private Charts() {}

  /**
   * Bytes sent per second, the dirty rate, and the bandwidth limit. Zero pages are not counted:
   * they cost almost nothing to send and would hide how the two rates compare.
   */
  public static TimeSeriesView rates(TimeRange range) {
    return withoutTimes(
        ChartSpec.of(
                "Rates",
                AxisUnit.BYTES_PER_SECOND,
                Series.dashed("dirtied", Palette.DIRTY, new Reading.DirtyRate()),
                Series.area("sent", Palette.SEND, new Reading.Rate(Metric.RAM_TRANSFERRED)))
            .withCeiling("limit", Metric.BANDWIDTH_LIMIT, 0.5),
        range);
  }

  /** RAM that is still to be sent; it grows at the end of each round if the guest dirties RAM. */
  public static TimeSeriesView remaining(TimeRange range) {
    return withoutTimes(
        ChartSpec.of(
            "Remaining",
            AxisUnit.BYTES,
            Series.area(
                "RAM to send", Palette.IN_TRANSIT, new Reading.Gauge(Metric.RAM_REMAINING))),
        range);
  }

  /**
   * Completions of both queues, and failures of the send queue; those of one queue if both complete
   * there.
   */
  public static TimeSeriesView completions(TimeRange range) {
    return new TimeSeriesView(
        ChartSpec.of(
                "Completions",
                AxisUnit.COUNT_PER_SECOND,
                Series.dashed(
                    "receive", Palette.RECEIVE, new Reading.Rate(Metric.RECEIVES_COMPLETED)),
                Series.area("WRITE", Palette.SEND, new Reading.Rate(Metric.WRITES_COMPLETED)))
            .withFailures(EventKind.COMPLETION_SEND_QUEUE)
            .whenShared(
                new ChartSpec.Stack(
                    "Shared queue",
                    List.of(
                        Series.area(
                            "WRITE", Palette.SEND, new Reading.Rate(Metric.WRITES_COMPLETED)),
                        Series.dashed(
                            "SEND", Palette.SENT, new Reading.Rate(Metric.SENDS_COMPLETED)),
                        Series.area(
                            "receive",
                            Palette.RECEIVE,
                            new Reading.Rate(Metric.RECEIVES_COMPLETED))),
                    null,
                    List.of())),
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

  /** For charts above others with the same times, which have the labels. */
  private static TimeSeriesView withoutTimes(ChartSpec spec, TimeRange range) {
    var chart = new TimeSeriesView(spec, range);
    chart.setTimeLabels(false);
    return chart;
  }
}
