// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import org.wridscope.ui.Palette;
import org.wridscope.ui.raster.Argb;
import org.wridscope.ui.raster.Pixels;

/** Draws the parts of a chart into pixels, the hindmost first. */
final class ChartPainter {
  private static final double LINE_WIDTH = 1.5;
  private static final int AREA_AT_TOP = 92;
  private static final int AREA_AT_ZERO = 20;

  /** A line steeper than this within one column looks right without leaning ends. */
  private static final double STEEP = 2;

  private final Pixels pixels;
  private double scale = 1;
  private boolean dark = true;
  private int[] tops = new int[0];

  ChartPainter(Pixels pixels) {
    this.pixels = pixels;
  }

  /**
   * Begins a picture.
   *
   * @param scale pixels for each unit that line widths are given in
   */
  void begin(double scale, boolean dark) {
    this.scale = scale;
    this.dark = dark;
    pixels.clear(Palette.GROUND.argb(dark));
  }

  /** Distance of a value from the upper edge; there is room for half a line above and below. */
  double yOf(ValueAxis axis, double value) {
    double margin = LINE_WIDTH * scale;
    return margin + axis.yOf(value, pixels.height() - 2 * margin);
  }

  private int unit(double length) {
    return (int) Math.max(1, Math.round(length * scale));
  }

  /** Shades columns by the share of them that was spent waiting, with a hatch that moves along. */
  void waits(Columns columns, float[] shares) {
    int colour = Palette.WAIT.argb(dark);
    int line = Argb.mix(colour, Palette.TEXT.argb(dark), 0.25);
    int period = unit(7);
    for (int x = 0; x < columns.width(); x++) {
      int share = Math.round(shares[x] * Argb.WHOLE);
      if (share == 0) {
        continue;
      }
      int phase = Math.floorMod(columns.number() + x, period);
      for (int y = 0; y < pixels.height(); y++) {
        pixels.blend(x, y, (y + phase) % period == 0 ? line : colour, share);
      }
    }
  }

  /** Draws the lines of the value axis. */
  void valueGrid(ValueAxis axis) {
    int colour = Palette.GRID.argb(dark);
    for (int i = 0; i <= axis.ticks(); i++) {
      int y = (int) yOf(axis, i * axis.step());
      pixels.fill(0, y, pixels.width(), y + unit(1), colour);
    }
  }

  /** Draws a line of the time axis. */
  void timeGrid(double x) {
    int column = (int) Math.floor(x);
    pixels.fill(column, 0, column + unit(1), pixels.height(), Palette.GRID.argb(dark));
  }

  /** Marks a moment, such as the beginning of a round, with a dotted line. */
  void mark(double x) {
    int column = (int) Math.floor(x);
    int colour = Palette.MARK.argb(dark);
    for (int y = 0; y < pixels.height(); y += unit(4)) {
      pixels.fill(column, y, column + unit(1), y + unit(2), colour);
    }
  }

  /** Draws a dashed line across at a value. */
  void ceiling(ValueAxis axis, double value) {
    int y = (int) yOf(axis, value);
    for (int x = 0; x < pixels.width(); x += unit(9)) {
      pixels.fill(x, y, x + unit(6), y + unit(1), Palette.LIMIT.argb(dark));
    }
  }

  /** Fills from a line down to zero, fainter towards it. */
  void area(Columns columns, ValueAxis axis, Palette palette) {
    int colour = palette.argb(dark);
    int zero = Math.min(pixels.height(), (int) Math.ceil(yOf(axis, 0)));
    if (tops.length < columns.width()) {
      tops = new int[columns.width()];
    }
    int highest = zero;
    for (int x = 0; x < columns.width(); x++) {
      boolean none = Float.isNaN(columns.low(x));
      tops[x] = none ? zero : Math.max(0, (int) Math.round(yOf(axis, columns.low(x))));
      highest = Math.min(highest, tops[x]);
    }
    double fading = (AREA_AT_TOP - AREA_AT_ZERO) / (double) Math.max(1, zero);
    int[] argb = pixels.argb();
    for (int y = highest; y < zero; y++) {
      int share = AREA_AT_ZERO + (int) ((zero - y) * fading);
      int line = y * pixels.stride();
      for (int x = 0; x < columns.width(); x++) {
        if (y >= tops[x]) {
          argb[line + x] = Argb.mix(argb[line + x], colour, share);
        }
      }
    }
  }

  /** Draws a line as one vertical run for each column. */
  void line(Columns columns, ValueAxis axis, Palette palette, boolean dashed) {
    int colour = palette.argb(dark);
    double width = LINE_WIDTH * scale;
    int dash = unit(4);
    int period = unit(6);
    for (int x = 0; x < columns.width(); x++) {
      if (Float.isNaN(columns.low(x))
          || (dashed && Math.floorMod(columns.number() + x, period) >= dash)) {
        continue;
      }
      double top = yOf(axis, columns.high(x));
      double bottom = yOf(axis, columns.low(x));
      double rise = bottom - top;
      if (columns.straight(x) && rise <= STEEP) {
        lean(x, top, bottom, width * Math.sqrt(1 + rise * rise), colour);
      } else {
        pixels.run(x, top - width / 2, bottom + width / 2, colour);
      }
    }
  }

  /**
   * Draws what a line covers of a column that it crosses from one side to the other: whole in the
   * middle, less and less where it enters and leaves.
   */
  private void lean(int x, double top, double bottom, double extent, int colour) {
    double rise = bottom - top;
    double from = top - extent / 2;
    double to = bottom + extent / 2;
    int last = (int) Math.min(pixels.height() - 1, Math.floor(to));
    for (int y = (int) Math.max(0, from); y <= last; y++) {
      double covered =
          covered(y + 1 - from, rise)
              - covered(y - from, rise)
              - covered(y + 1 - (to - rise), rise)
              + covered(y - (to - rise), rise);
      pixels.blend(x, y, colour, (int) Math.round(Math.clamp(covered, 0.0, 1.0) * Argb.WHOLE));
    }
  }

  /** Area below a ramp that climbs from 0 at 0 to 1 at {@code length} and stays there. */
  private static double covered(double at, double length) {
    if (at <= 0) {
      return 0;
    }
    return at < length ? at * at / (2 * length) : at - length / 2;
  }

  /** Marks a failure with a cross. */
  void cross(double x, double y) {
    int colour = Palette.FAILED.argb(dark);
    double arm = 4 * scale;
    double width = 2 * scale;
    for (int column = (int) (x - arm); column <= x + arm; column++) {
      double offset = column + 0.5 - x;
      if (Math.abs(offset) <= arm) {
        pixels.run(column, y + offset - width * 0.7, y + offset + width * 0.7, colour);
        pixels.run(column, y - offset - width * 0.7, y - offset + width * 0.7, colour);
      }
    }
  }
}
