// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.HashMap;
import java.util.Map;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.ValueAxis;

/** The vertical axis of a chart, or of several charts that are compared. */
final class ValueScale {
  private final Map<Object, Need> needs = new HashMap<>();
  private ValueAxis axis;

  /**
   * What a chart needs of the axis.
   *
   * @param largest value to show
   * @param ticks the largest number of steps, at least 1
   */
  private record Need(double largest, int ticks) {}

  ValueScale(AxisUnit unit) {
    axis = ValueAxis.of(unit, 0, 1);
  }

  /** Forgets what a chart needed: it is about to show something else. */
  ValueAxis begin(Object chart) {
    needs.remove(chart);
    axis = ValueAxis.of(axis.unit(), 0, 1);
    return axis;
  }

  ValueAxis axis() {
    return axis;
  }

  /**
   * Adapts the axis to what a chart needs. The axis stays the same while it fits all charts.
   *
   * @param largest value to show
   * @param ticks the largest number of steps, at least 1
   */
  ValueAxis adapt(Object chart, double largest, int ticks) {
    needs.put(chart, new Need(largest, ticks));
    axis =
        axis.adapted(
            needs.values().stream().mapToDouble(Need::largest).max().orElse(largest),
            needs.values().stream().mapToInt(Need::ticks).min().orElse(ticks));
    return axis;
  }
}
