// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import org.jspecify.annotations.Nullable;
import org.wridscope.text.ValueAxis;
import org.wridscope.ui.Palette;
import org.wridscope.ui.raster.Argb;
import org.wridscope.ui.raster.Pen;
import org.wridscope.ui.raster.Pixels;

/** Draws the parts of a chart into pixels; the caller draws from back to front. */
final class ChartPainter {
  private static final double LINE_WIDTH = 1.5;
  private static final int AREA_AT_TOP = 92;
  private static final int AREA_AT_ZERO = 20;

  /** A line that rises more than this within a column is drawn with level ends. */
  private static final double STEEP = 2;

  private final Pixels pixels;
  private final Pen pen;
  private boolean dark = true;
  private int[] tops = new int[0];
  private int[] bottoms = new int[0];

  ChartPainter(Pixels pixels, Pen pen) {
    this.pixels = pixels;
    this.pen = pen;
  }

  /** Begins a picture. */
  void begin(boolean dark) {
    this.dark = dark;
    pixels.clear(Palette.GROUND.argb(dark));
  }

  /** The distance of a value from the upper edge, in pixels; a line at either edge is not cut. */
  double yOf(ValueAxis axis, double value) {
    double margin = LINE_WIDTH * pen.scale();
    return margin + axis.yOf(value, pixels.height() - 2 * margin);
  }

  /** Shades columns by the share of time spent waiting, with a hatch that moves with time. */
  void waits(Columns columns, float[] shares) {
    int colour = Palette.WAIT.argb(dark);
    int line = Argb.mix(colour, Palette.TEXT.argb(dark), 0.25);
    int period = pen.unit(7);
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
      pen.across(yOf(axis, i * axis.step()), colour);
    }
  }

  /** Draws a dashed horizontal line at a value. */
  void ceiling(ValueAxis axis, double value) {
    int y = (int) yOf(axis, value);
    for (int x = 0; x < pixels.width(); x += pen.unit(9)) {
      pixels.fill(x, y, x + pen.unit(6), y + pen.unit(1), Palette.LIMIT.argb(dark));
    }
  }

  /** Fills the area between a line and zero, fainter towards zero. */
  void area(Columns columns, ValueAxis axis, Palette palette) {
    band(columns, null, axis, palette);
  }

  /** Fills the area between a line and one below it, or zero, fainter towards zero. */
  void band(Columns columns, @Nullable Columns below, ValueAxis axis, Palette palette) {
    int colour = palette.argb(dark);
    int zero = Math.min(pixels.height(), (int) Math.ceil(yOf(axis, 0)));
    if (tops.length < columns.width()) {
      tops = new int[columns.width()];
      bottoms = new int[columns.width()];
    }
    int highest = zero;
    for (int x = 0; x < columns.width(); x++) {
      boolean none = Float.isNaN(columns.low(x));
      tops[x] = none ? zero : topOf(columns, x, axis);
      bottoms[x] = below == null || Float.isNaN(below.low(x)) ? zero : topOf(below, x, axis);
      highest = Math.min(highest, tops[x]);
    }
    double fading = (AREA_AT_TOP - AREA_AT_ZERO) / (double) Math.max(1, zero);
    int[] argb = pixels.argb();
    for (int y = highest; y < zero; y++) {
      int share = AREA_AT_ZERO + (int) ((zero - y) * fading);
      int line = y * pixels.stride();
      for (int x = 0; x < columns.width(); x++) {
        if (y >= tops[x] && y < bottoms[x]) {
          argb[line + x] = Argb.mix(argb[line + x], colour, share);
        }
      }
    }
  }

  private int topOf(Columns columns, int x, ValueAxis axis) {
    return Math.max(0, (int) Math.round(yOf(axis, columns.low(x))));
  }

  /** Draws a line as one vertical run for each column. */
  void line(Columns columns, ValueAxis axis, Palette palette, boolean dashed) {
    int colour = palette.argb(dark);
    double width = LINE_WIDTH * pen.scale();
    int dash = pen.unit(4);
    int period = pen.unit(6);
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
   * Draws a line that crosses a column from one side to the other: each pixel gets the share of it
   * that the line covers.
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

  /** The area below a ramp that rises from 0 at 0 to 1 at {@code length} and stays there. */
  private static double covered(double at, double length) {
    if (at <= 0) {
      return 0;
    }
    return at < length ? at * at / (2 * length) : at - length / 2;
  }

  /** Marks a failure with a cross. */
  void cross(double x, double y) {
    pen.cross(x, y, Palette.FAILED.argb(dark));
  }
}
