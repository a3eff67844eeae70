// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.Arrays;

/**
 * The pixel columns of a stretch of time, and the lowest and highest value of one series within
 * each of them.
 *
 * <p>Columns lie on a raster that is fixed in time. So the picture moves by whole columns while
 * time passes, and a line keeps its shape.
 */
final class Columns {
  private long left;
  private double nanosPerColumn = 1;
  private long number;
  private int width;
  private float[] low = new float[0];
  private float[] high = new float[0];
  private boolean[] straight = new boolean[0];
  private double largest;
  private boolean empty = true;

  /**
   * Sets the stretch of time.
   *
   * @param origin where the raster of columns begins
   * @param right later than {@code left}
   * @param width number of columns, may be 0
   */
  void place(long origin, long left, long right, int width) {
    this.width = width;
    nanosPerColumn = (double) (right - left) / Math.max(1, width);
    // The nearest column, so that rounding does not move a stretch that begins at the origin.
    number = Math.round((left - origin) / nanosPerColumn);
    this.left = origin + Math.round(number * nanosPerColumn);
    if (low.length < width) {
      low = new float[width];
      high = new float[width];
      straight = new boolean[width];
    }
  }

  /** Whether {@link #place} with these values would move or resize the columns. */
  boolean placedElsewhere(long origin, long newLeft, long newRight, int newWidth) {
    double perColumn = (double) (newRight - newLeft) / Math.max(1, newWidth);
    return newWidth != width
        || Math.abs(perColumn - nanosPerColumn) * width >= perColumn / 2
        || Math.abs(newLeft - origin - number * perColumn) > perColumn * 0.75
        || origin + Math.round(number * nanosPerColumn) != left;
  }

  int width() {
    return width;
  }

  double nanosPerColumn() {
    return nanosPerColumn;
  }

  /** Number of the first column, counted from the origin. */
  long number() {
    return number;
  }

  /** The left edge of a column. */
  long timeOf(int x) {
    return left + Math.round(x * nanosPerColumn);
  }

  /** The place of a moment, in columns and fractions of them from the left edge. */
  double xOf(long nanos) {
    return (nanos - left) / nanosPerColumn;
  }

  /**
   * Sets the series: the line through its points.
   *
   * @param times ascending
   * @param values NaN interrupts the line
   * @param holds whether a value holds until the next one; otherwise it is the average over the
   *     time before it, and a slope leads to it
   * @param averaged nanoseconds of such an average; between samples as far apart as that, it holds
   *     from the one before
   */
  void fill(long[] times, double[] values, int count, boolean holds, long averaged) {
    Arrays.fill(low, 0, width, Float.NaN);
    largest = 0;
    empty = true;
    double perNano = 1 / nanosPerColumn;
    double x0 = 0;
    double v0 = Double.NaN;
    for (int i = 0; i < count; i++) {
      double x1 = (times[i] - left) * perNano;
      double v1 = values[i];
      if (!Double.isNaN(v1)) {
        boolean covers = !holds && i > 0 && times[i] - times[i - 1] >= averaged;
        // Within one column the points are enough.
        if ((covers || !Double.isNaN(v0)) && (x0 < 0 || (int) x0 != (int) x1)) {
          segment(x0, covers ? v1 : v0, x1, holds ? v0 : v1);
        }
        if (holds || covers) {
          upright(holds ? x1 : x0, v0, v1);
        }
        upright(x1, v1, v1);
      }
      x0 = x1;
      v0 = v1;
    }
  }

  /** Joins two values at a place; none if one is not known. */
  private void upright(double x, double v0, double v1) {
    if (x >= 0 && x < width && !Double.isNaN(v0)) {
      extend((int) x, Math.min(v0, v1), Math.max(v0, v1), false);
    }
  }

  private void segment(double x0, double v0, double x1, double v1) {
    if (x1 <= 0 || x0 >= width || x1 <= x0) {
      return;
    }
    int first = (int) Math.max(0, x0);
    int last = (int) Math.min(width - 1, x1);
    double slope = (v1 - v0) / (x1 - x0);
    for (int x = first; x <= last; x++) {
      double from = Math.max(x, x0);
      double to = Math.min(x + 1, x1);
      if (from <= to) {
        double a = v0 + (from - x0) * slope;
        double b = v0 + (to - x0) * slope;
        extend(x, Math.min(a, b), Math.max(a, b), from == x && to == x + 1);
      }
    }
  }

  private void extend(int x, double lowest, double highest, boolean whole) {
    empty = false;
    if (Float.isNaN(low[x])) {
      low[x] = (float) lowest;
      high[x] = (float) highest;
      straight[x] = whole;
    } else {
      low[x] = Math.min(low[x], (float) lowest);
      high[x] = Math.max(high[x], (float) highest);
      straight[x] = false;
    }
    largest = Math.max(largest, highest);
  }

  /** The lowest value of the line within a column, NaN where there is no line. */
  float low(int x) {
    return low[x];
  }

  /** The highest value; only where {@link #low} is a number. */
  float high(int x) {
    return high[x];
  }

  /** Whether the line crosses the column without a bend. */
  boolean straight(int x) {
    return straight[x];
  }

  /** Whether there is no line in any column. */
  boolean isEmpty() {
    return empty;
  }

  /** The highest value of all columns, 0 when there is none. */
  double largest() {
    return largest;
  }
}
