// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

/**
 * The vertical axis of a chart, from 0 up.
 *
 * @param top the value at the upper edge, above 0
 * @param step difference between neighbouring ticks
 */
public record ValueAxis(AxisUnit unit, double top, double step) {
  /** An axis is kept until the largest value falls below this share of its top. */
  private static final double KEPT_SHARE = 0.6;

  /** Space above the largest value. */
  private static final double HEADROOM = 1.04;

  /**
   * An axis that reaches the largest value with a limited number of ticks.
   *
   * @param largest the largest value to be shown
   * @param ticks upper limit of the number of steps, at least 1
   */
  public static ValueAxis of(AxisUnit unit, double largest, int ticks) {
    double wanted = Math.max(largest * HEADROOM, unit == AxisUnit.SHARE ? 0.01 : 1);
    double step = unit.step(wanted / ticks);
    return new ValueAxis(unit, Math.max(1, Math.ceil(wanted / step - 1e-9)) * step, step);
  }

  /** This axis if it still fits, so that small changes do not rescale the chart; else a new one. */
  public ValueAxis adapted(double largest, int ticks) {
    boolean fits = largest <= top && largest >= top * KEPT_SHARE && top / step <= ticks;
    return fits ? this : of(unit, largest, ticks);
  }

  public int ticks() {
    return (int) Math.round(top / step);
  }

  /** Distance of a value from the upper edge of a chart of the given height. */
  public double yOf(double value, double height) {
    return height - value / top * height;
  }
}
