// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.ArrayList;
import java.util.List;

/** Finds rows and columns with which all strips of an end fit into a view, without zoom. */
final class StripFit {
  private static final double LARGEST_FITTED = 20;
  private static final double SMALLEST_CELL = 3;
  private static final double WIDEST_SHAPE = 1.5;
  private static final double LOWEST_STRIP = 16;

  private final List<Strip> strips;
  private final int width;
  private final double scale;

  /** Height without the gaps between strips. */
  private final double free;

  /** The least height of a strip. */
  private final double lowest;

  /**
   * @param available height for the strips and the gaps between them
   * @param scale pixels for each unit of the scene graph
   */
  StripFit(List<Strip> strips, int width, double available, double gap, double scale) {
    this.strips = strips;
    this.width = width;
    this.scale = scale;
    free = available - gap * strips.size();
    lowest =
        Math.clamp(
            available / 2 / strips.size() - gap, SMALLEST_CELL * scale, LOWEST_STRIP * scale);
  }

  /** Sets the rows, the columns and the fitted sizes of the strips. */
  void arrange() {
    for (double row = Math.floor(LARGEST_FITTED * scale); row >= SMALLEST_CELL * scale; row--) {
      for (double cell = Math.floor(row * WIDEST_SHAPE); cell >= row; cell--) {
        if (heightWith(cell, row) <= free) {
          for (Strip strip : strips) {
            setCells(strip, cell, row);
          }
          return;
        }
      }
    }
    arrangeNarrow();
  }

  private int rowsWith(Strip strip, double cell) {
    int columns = Math.max(1, (int) (width / cell));
    return Math.max(1, Math.ceilDiv(strip.chunks(), columns));
  }

  private double heightWith(double cell, double row) {
    double sum = 0;
    for (Strip strip : strips) {
      sum += Math.max(lowest, rowsWith(strip, cell) * row);
    }
    return sum;
  }

  private void setCells(Strip strip, double cell, double row) {
    int rows = rowsWith(strip, cell);
    if (rows * row < lowest) {
      setLow(strip);
    } else {
      strip.columns = Math.max(1, (int) (width / cell));
      strip.rows = rows;
      strip.fittedCell = cell;
      strip.fittedRow = row;
    }
  }

  /** Makes a strip that would be too low one row, with cells as wide as there is space. */
  private void setLow(Strip strip) {
    strip.columns = Math.max(1, strip.chunks());
    strip.rows = 1;
    strip.fittedRow = lowest;
    strip.fittedCell = Math.min(lowest, (double) width / strip.columns);
  }

  /** With more chunks than cells of the smallest size, makes cells narrower than high. */
  private void arrangeNarrow() {
    var tall = new ArrayList<>(strips);
    double left = free;
    boolean again = true;
    while (again && tall.size() > 1) {
      double sum = tall.stream().mapToDouble(Strip::chunks).sum();
      double share = left / sum;
      List<Strip> low = tall.stream().filter(strip -> strip.chunks() * share < lowest).toList();
      again = !low.isEmpty() && low.size() < tall.size();
      if (again) {
        low.forEach(strip -> setLow(strip));
        left -= low.size() * lowest;
        tall.removeAll(low);
      }
    }
    double sum = tall.stream().mapToDouble(Strip::chunks).sum();
    double row = Math.max(1, Math.floor(SMALLEST_CELL * scale));
    for (Strip strip : tall) {
      int rows = (int) Math.max(1, left * strip.chunks() / sum / row);
      strip.columns = Math.max(1, Math.ceilDiv(strip.chunks(), rows));
      strip.rows = Math.max(1, Math.ceilDiv(strip.chunks(), strip.columns));
      strip.fittedCell = (double) width / strip.columns;
      strip.fittedRow = row;
    }
  }
}
