// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import org.wridscope.ui.raster.Pixels;

/** Shapes of the wrid view, each its own, so that colour is never the only sign. */
final class Shapes {
  private final Pixels pixels;
  private double scale = 1;

  Shapes(Pixels pixels) {
    this.pixels = pixels;
  }

  void setScale(double scale) {
    this.scale = scale;
  }

  int unit(double length) {
    return (int) Math.max(1, Math.round(length * scale));
  }

  /** A cross: out of order, or failed. */
  void cross(double x, int y, int colour) {
    double arm = 4.5 * scale;
    double half = 1.3 * scale;
    for (int column = (int) Math.floor(x - arm); column <= x + arm; column++) {
      double offset = column + 0.5 - x;
      if (Math.abs(offset) <= arm) {
        pixels.run(column, y + offset - half, y + offset + half, colour);
        pixels.run(column, y - offset - half, y - offset + half, colour);
      }
    }
  }

  /** A ring with a bar through it: dropped. */
  void ring(double x, int y, int colour, int ground) {
    double outer = 6 * scale;
    double inner = 4 * scale;
    for (int column = (int) Math.floor(x - outer); column <= x + outer; column++) {
      double offset = column + 0.5 - x;
      if (Math.abs(offset) > outer) {
        continue;
      }
      double high = Math.sqrt(outer * outer - offset * offset);
      pixels.run(column, y - high, y + high, colour);
      if (Math.abs(offset) < inner) {
        double low = Math.sqrt(inner * inner - offset * offset);
        pixels.run(column, y - low, y + low, ground);
        pixels.run(column, y + offset - scale, y + offset + scale, colour);
      }
    }
  }

  /** A line from one height to another, one run for each line of pixels. */
  void line(double x0, int top, double x1, int bottom, int colour) {
    int height = Math.max(1, bottom - top);
    double slope = (x1 - x0) / height;
    int first = 0;
    int last = height - 1;
    if (slope != 0) {
      // Only the lines of pixels in which it is in sight.
      double a = -x0 / slope;
      double b = (pixels.width() - x0) / slope;
      first = (int) Math.clamp(Math.floor(Math.min(a, b)) - 1, 0, height);
      last = (int) Math.clamp(Math.ceil(Math.max(a, b)) + 1, -1, height - 1);
    } else if (x0 < 0 || x0 >= pixels.width()) {
      return;
    }
    int width = unit(1);
    for (int i = first; i <= last; i++) {
      double from = x0 + slope * i;
      double to = from + slope;
      int begin = column(Math.min(from, to));
      int end = Math.max(begin + width, column(Math.max(from, to)));
      pixels.fill(begin, top + i, end, top + i + 1, colour);
    }
  }

  /** The column of a place, kept near the picture so that it fits an int. */
  int column(double x) {
    return (int) Math.floor(Math.clamp(x, -64, pixels.width() + 64));
  }

  /** A vertical stroke. */
  void stroke(double x, int top, int bottom, int colour) {
    int column = column(x);
    pixels.fill(column, top, column + unit(1), bottom, colour);
  }

  /** A small square, for a request that carries a message. */
  void square(double x, int y, int colour) {
    int half = unit(2);
    int column = column(x);
    pixels.fill(column - half, y, column + half + 1, y + 2 * half + 1, colour);
  }
}
