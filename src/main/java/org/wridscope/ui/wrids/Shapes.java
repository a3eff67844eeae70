// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.wrids;

import org.wridscope.analysis.RequestKind;
import org.wridscope.ui.raster.Pen;
import org.wridscope.ui.raster.Pixels;

/** The shapes of the wrid view. Each meaning has its own, so that colour is never the only sign. */
final class Shapes {
  private final Pixels pixels;
  private final Pen pen;

  Shapes(Pixels pixels, Pen pen) {
    this.pixels = pixels;
    this.pen = pen;
  }

  /** Draws a ring: a wait for another completion met and handled this one. */
  void ring(double x, int y, int colour, int ground) {
    ring(x, y, colour, ground, false);
  }

  /** Draws a ring with a bar through it: a completion was dropped. */
  void barredRing(double x, int y, int colour, int ground) {
    ring(x, y, colour, ground, true);
  }

  private void ring(double x, int y, int colour, int ground, boolean barred) {
    double outer = 6 * pen.scale();
    double inner = 4 * pen.scale();
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
        if (barred) {
          pixels.run(column, y + offset - pen.scale(), y + offset + pen.scale(), colour);
        }
      }
    }
  }

  /** Draws a line from one height to another, one run for each line of pixels. */
  void line(double x0, int top, double x1, int bottom, int colour) {
    int height = Math.max(1, bottom - top);
    double slope = (x1 - x0) / height;
    int first = 0;
    int last = height - 1;
    if (slope != 0) {
      // Only the lines of pixels in which it is within the picture.
      double a = -x0 / slope;
      double b = (pixels.width() - x0) / slope;
      first = (int) Math.clamp(Math.floor(Math.min(a, b)) - 1, 0, height);
      last = (int) Math.clamp(Math.ceil(Math.max(a, b)) + 1, -1, height - 1);
    } else if (x0 < 0 || x0 >= pixels.width()) {
      return;
    }
    int width = pen.unit(1);
    for (int i = first; i <= last; i++) {
      double from = x0 + slope * i;
      double to = from + slope;
      int begin = pen.column(Math.min(from, to));
      int end = Math.max(begin + width, pen.column(Math.max(from, to)));
      pixels.fill(begin, top + i, end, top + i + 1, colour);
    }
  }

  /** Draws the head of a stroke, as {@link WridText#operations} explains it. */
  void head(RequestKind kind, double x, int y, int colour) {
    int half = pen.unit(kind == RequestKind.SEND ? 2 : 3);
    int column = pen.column(x);
    for (int row = 0; row <= 2 * half; row++) {
      int reach =
          switch (kind) {
            case WRITE, RECEIVE -> 0;
            case SEND -> half;
            case READ -> row / 2;
            case ATOMIC -> half - Math.abs(row - half);
            case OTHER -> row < pen.unit(1) ? half : 0;
          };
      pixels.fill(column - reach, y + row, column + reach + 1, y + row + 1, colour);
    }
  }
}
