// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import org.wridscope.ui.raster.Pixels;

/** Draws arrows from side to side into pixels. */
final class Arrows {
  private static final double WIDTH = 1.4;

  private final Pixels pixels;
  private double scale = 1;
  private int ground;

  Arrows(Pixels pixels) {
    this.pixels = pixels;
  }

  /**
   * Begins a picture.
   *
   * @param scale pixels for each unit of the scene graph
   * @param ground colour of what is empty
   */
  void begin(double scale, int ground) {
    this.scale = scale;
    this.ground = ground;
    pixels.clear(ground);
  }

  private int unit(double length) {
    return (int) Math.max(1, Math.round(length * scale));
  }

  /** A thin line across at a height. */
  void across(double y, int colour) {
    int top = (int) Math.clamp(y, -8.0, pixels.height() + 8.0);
    pixels.fill(0, top, pixels.width(), top + unit(1), colour);
  }

  /** The line of one end, from top to bottom. */
  void down(double x, int colour) {
    int left = (int) x;
    pixels.fill(left, 0, left + unit(1), pixels.height(), colour);
  }

  /** A line that is at least as wide as it is high, one soft run for each column. */
  void line(double x0, double y0, double x1, double y1, int colour) {
    double left = Math.min(x0, x1);
    double right = Math.max(x0, x1);
    double slope = (y1 - y0) / (x1 == x0 ? 1 : x1 - x0);
    double half = WIDTH * scale / 2 * Math.sqrt(1 + Math.min(slope * slope, 16));
    int end = (int) Math.min(pixels.width(), Math.ceil(right));
    for (int x = (int) Math.max(0, Math.floor(left)); x < end; x++) {
      double a = y0 + (Math.clamp(x, left, right) - x0) * slope;
      double b = y0 + (Math.clamp(x + 1.0, left, right) - x0) * slope;
      pixels.run(x, Math.min(a, b) - half, Math.max(a, b) + half, colour);
    }
  }

  /** Makes room for a text. */
  void erase(double left, double top, double right, double bottom) {
    pixels.fill((int) left, (int) top, (int) right, (int) bottom, ground);
  }

  /** The head of an arrow that points to the right or to the left. */
  void head(double x, double y, boolean right, int colour) {
    int length = unit(7);
    for (int i = 0; i < length; i++) {
      double half = 3.5 * scale * i / length + 0.5;
      pixels.run((int) (right ? x - 1 - i : x + 1 + i), y - half, y + half, colour);
    }
  }

  /** A cross over the end of an arrow: what arrived was thrown away. */
  void cross(double x, double y, int colour) {
    double arm = 5 * scale;
    for (int column = (int) (x - arm); column <= x + arm; column++) {
      double offset = column + 0.5 - x;
      pixels.run(column, y + offset - scale, y + offset + scale, colour);
      pixels.run(column, y - offset - scale, y - offset + scale, colour);
    }
  }
}
