// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

/**
 * The vertical axis of a chart, from 0 up.
 *
 * @param top the value at the upper edge, above 0
 * @param step distance of the ticks
 */
record ValueAxis(AxisUnit unit, double top, double step) {
  /** An axis is kept until what it has to show is below this share of it. */
  private static final double KEPT_SHARE = 0.6;

  private static final double AIR = 1.04;

  /**
   * An axis that holds all values and has ticks that are not too close.
   *
   * @param largest value to be shown
   * @param ticks how many steps there may be at most, at least 1
   */
  static ValueAxis of(AxisUnit unit, double largest, int ticks) {
    double wanted = Math.max(largest * AIR, unit == AxisUnit.SHARE ? 0.01 : 1);
    double step = unit.step(wanted / ticks);
    return new ValueAxis(unit, Math.max(1, Math.ceil(wanted / step - 1e-9)) * step, step);
  }

  /** This axis as long as it serves, so that small changes do not shift what is drawn. */
  ValueAxis adapted(double largest, int ticks) {
    boolean serves = largest <= top && largest >= top * KEPT_SHARE && top / step <= ticks;
    return serves ? this : of(unit, largest, ticks);
  }

  int ticks() {
    return (int) Math.round(top / step);
  }

  /** Distance of a value from the upper edge of a picture that is {@code height} high. */
  double yOf(double value, double height) {
    return height - value / top * height;
  }
}
