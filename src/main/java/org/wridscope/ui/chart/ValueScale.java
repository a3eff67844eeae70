// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.HashMap;
import java.util.Map;

/** The vertical axis of a chart, or the common one of several that are compared. */
final class ValueScale {
  private final Map<Object, Need> needs = new HashMap<>();
  private ValueAxis axis;

  /**
   * What a chart needs.
   *
   * @param largest value to be shown
   * @param ticks how many steps there may be at most, at least 1
   */
  private record Need(double largest, int ticks) {}

  ValueScale(AxisUnit unit) {
    axis = ValueAxis.of(unit, 0, 1);
  }

  /** Forgets what a chart had to show, and begins with what will be shown. */
  ValueAxis begin(Object chart) {
    needs.remove(chart);
    axis = ValueAxis.of(axis.unit(), 0, 1);
    return axis;
  }

  ValueAxis axis() {
    return axis;
  }

  /**
   * Takes what a chart has to show, and keeps the axis as long as it serves all.
   *
   * @param largest value to be shown
   * @param ticks how many steps there may be at most, at least 1
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
