// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.raster;

/**
 * Draws strokes and marks into pixels. Their lengths are in units of the scene graph, so that they
 * look alike on screens of any density; places are in pixels.
 */
public final class Pen {
  /** How far outside of the picture a place may be; a longer distance makes no difference. */
  private static final int OUTSIDE = 64;

  private static final double DOT = 2;
  private static final double DOT_DISTANCE = 4;
  private static final double CROSS_ARM = 4.5;
  private static final double CROSS_HALF_WIDTH = 1.3;

  private final Pixels pixels;
  private double scale = 1;

  public Pen(Pixels pixels) {
    this.pixels = pixels;
  }

  /** Sets how many pixels a unit of the scene graph has. */
  public void setScale(double scale) {
    this.scale = scale;
  }

  public double scale() {
    return scale;
  }

  /** A length in whole pixels, at least 1. */
  public int unit(double length) {
    return (int) Math.max(1, Math.round(length * scale));
  }

  /** The column of a place. */
  public int column(double x) {
    return (int) Math.floor(Math.clamp(x, -OUTSIDE, pixels.width() + OUTSIDE));
  }

  private int line(double y) {
    return (int) Math.floor(Math.clamp(y, -OUTSIDE, pixels.height() + OUTSIDE));
  }

  /** Draws a thin vertical stroke. */
  public void down(double x, int top, int bottom, int colour) {
    int column = column(x);
    pixels.fill(column, top, column + unit(1), bottom, colour);
  }

  /** Draws a thin vertical line over the whole height. */
  public void down(double x, int colour) {
    down(x, 0, pixels.height(), colour);
  }

  /** Draws a thin horizontal line over the whole width. */
  public void across(double y, int colour) {
    int line = line(y);
    pixels.fill(0, line, pixels.width(), line + unit(1), colour);
  }

  /** Draws a dotted vertical line over the whole height. */
  public void dotsDown(double x, int colour) {
    int column = column(x);
    for (int y = 0; y < pixels.height(); y += unit(DOT_DISTANCE)) {
      pixels.fill(column, y, column + unit(1), y + unit(DOT), colour);
    }
  }

  /** Draws a dotted horizontal line over the whole width. */
  public void dotsAcross(double y, int colour) {
    int line = line(y);
    for (int x = 0; x < pixels.width(); x += unit(DOT_DISTANCE)) {
      pixels.fill(x, line, x + unit(DOT), line + unit(1), colour);
    }
  }

  /** Draws a cross around a place. */
  public void cross(double x, double y, int colour) {
    double arm = CROSS_ARM * scale;
    double half = CROSS_HALF_WIDTH * scale;
    for (int column = (int) Math.floor(x - arm); column <= x + arm; column++) {
      double offset = column + 0.5 - x;
      if (Math.abs(offset) <= arm) {
        pixels.run(column, y + offset - half, y + offset + half, colour);
        pixels.run(column, y - offset - half, y - offset + half, colour);
      }
    }
  }
}
