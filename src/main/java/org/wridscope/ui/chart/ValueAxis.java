// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

/**
 * The vertical axis of a chart, from 0 up.
 *
 * @param top the value at the upper edge, above 0
 * @param step distance of the ticks
 */
record ValueAxis(AxisUnit unit, double top, double step) {
  /** An axis is kept until its largest value falls below this share of it. */
  private static final double KEPT_SHARE = 0.6;

  /** The axis reaches above the largest value by this factor. */
  private static final double HEADROOM = 1.04;

  /**
   * Makes an axis that reaches the largest value and has round ticks.
   *
   * @param largest value to show
   * @param ticks the largest number of steps, at least 1
   */
  static ValueAxis of(AxisUnit unit, double largest, int ticks) {
    double wanted = Math.max(largest * HEADROOM, unit == AxisUnit.SHARE ? 0.01 : 1);
    double step = unit.step(wanted / ticks);
    return new ValueAxis(unit, Math.max(1, Math.ceil(wanted / step - 1e-9)) * step, step);
  }

  /** This axis if it still fits, so that small changes do not rescale the picture. */
  ValueAxis adapted(double largest, int ticks) {
    boolean fits = largest <= top && largest >= top * KEPT_SHARE && top / step <= ticks;
    return fits ? this : of(unit, largest, ticks);
  }

  int ticks() {
    return (int) Math.round(top / step);
  }

  /** The distance of a value from the upper edge of a picture with a height. */
  double yOf(double value, double height) {
    return height - value / top * height;
  }
}
