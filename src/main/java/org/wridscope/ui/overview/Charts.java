// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import org.wridscope.telemetry.Metric;
import org.wridscope.ui.Palette;
import org.wridscope.ui.TimeRange;
import org.wridscope.ui.View;
import org.wridscope.ui.chart.AxisUnit;
import org.wridscope.ui.chart.ChartSpec;
import org.wridscope.ui.chart.Reading;
import org.wridscope.ui.chart.Series;
import org.wridscope.ui.chart.TimeSeriesView;

/** The charts that belong to no view but the overview: how fast, and how much is left. */
public final class Charts {
  private Charts() {}

  /** RAM dealt with a second against what the guest dirties, under the bandwidth limit. */
  public static View rates(TimeRange range) {
    return new TimeSeriesView(
        ChartSpec.of(
                "Rates",
                AxisUnit.BYTES_PER_SECOND,
                new Series(
                    "dirtied",
                    Palette.DIRTY,
                    new Reading.Gauge(Metric.DIRTY_BYTES_RATE),
                    Series.Style.DASHED),
                new Series(
                    "throughput",
                    Palette.SEND,
                    new Reading.Rate(Metric.RAM_PROCESSED),
                    Series.Style.AREA))
            .withCeiling("limit", Metric.BANDWIDTH_LIMIT, 0.5),
        range);
  }

  /** RAM that is still to be sent; it grows again at the end of a round of a busy guest. */
  public static View remaining(TimeRange range) {
    return new TimeSeriesView(
        ChartSpec.of(
            "Remaining",
            AxisUnit.BYTES,
            new Series(
                "RAM to send",
                Palette.IN_TRANSIT,
                new Reading.Gauge(Metric.RAM_REMAINING),
                Series.Style.AREA)),
        range);
  }
}
