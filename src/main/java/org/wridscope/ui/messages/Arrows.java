// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.messages;

import org.wridscope.ui.raster.Pen;
import org.wridscope.ui.raster.Pixels;

/** Draws arrows from side to side into pixels. */
final class Arrows {
  private static final double WIDTH = 1.4;

  private final Pixels pixels;
  private final Pen pen;
  private int ground;

  Arrows(Pixels pixels, Pen pen) {
    this.pixels = pixels;
    this.pen = pen;
  }

  /**
   * Begins a picture.
   *
   * @param ground colour of what is empty
   */
  void begin(int ground) {
    this.ground = ground;
    pixels.clear(ground);
  }

  /** Draws a line that is at least as wide as it is high, one soft run for each column. */
  void line(double x0, double y0, double x1, double y1, int colour) {
    double left = Math.min(x0, x1);
    double right = Math.max(x0, x1);
    double slope = (y1 - y0) / (x1 == x0 ? 1 : x1 - x0);
    double half = WIDTH * pen.scale() / 2 * Math.sqrt(1 + Math.min(slope * slope, 16));
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

  /** Draws the head of an arrow that points to the right or to the left. */
  void head(double x, double y, boolean right, int colour) {
    int length = pen.unit(7);
    for (int i = 0; i < length; i++) {
      double half = 3.5 * pen.scale() * i / length + 0.5;
      pixels.run((int) (right ? x - 1 - i : x + 1 + i), y - half, y + half, colour);
    }
  }
}
