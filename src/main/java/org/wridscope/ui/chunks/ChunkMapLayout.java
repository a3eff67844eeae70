// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The places of chunks in a map, in pixels. Each RAM block is a {@link Strip}; the heights of
 * strips are to scale, except that none is too low to be seen.
 *
 * <p>A row has the same chunks at every zoom: zooming stretches the map and never rearranges it.
 * While chunks are narrower than they are high, they grow faster in width than in height, until
 * they are squares. A strip wider than the view is panned by a share of its overhang, the same
 * share for all strips.
 */
final class ChunkMapLayout {
  private static final double LARGEST_CELL = 32;
  private static final double GAP = 6;
  private static final double HEADING = 20;
  private static final double EDGED_CELL = 5;

  private final List<Strip> strips = new ArrayList<>();
  private final List<Double> headings = new ArrayList<>();
  private int[][] shape = new int[0][];
  private int width;
  private int height;
  private double scale = 1;
  private double zoom = 1;
  private double panned;
  private double scroll;
  private double contentHeight;

  /**
   * The chunks at a point.
   *
   * @param chunk the first chunk
   * @param count how many chunks share the pixel, at least 1
   */
  record Hit(Strip strip, int chunk, int count) {}

  /** The place of a chunk in the view. */
  record Place(int x, int y, int width, int height) {}

  /**
   * Sets the RAM blocks, and shows all of them.
   *
   * @param chunks for each end, from top to bottom, the number of chunks of each block
   */
  void setShape(int[][] chunks) {
    shape = chunks;
    strips.clear();
    for (int end = 0; end < chunks.length; end++) {
      for (int block = 0; block < chunks[end].length; block++) {
        strips.add(new Strip(end, block, chunks[end][block]));
      }
    }
    fit();
  }

  /**
   * Sets the size of the view; keeps the visible part about the same.
   *
   * @param newScale pixels for each unit of the scene graph
   */
  void resize(int newWidth, int newHeight, double newScale) {
    double share = contentHeight > 0 ? scroll / contentHeight : 0;
    width = newWidth;
    height = newHeight;
    scale = newScale;
    arrange();
    zoom = Math.min(zoom, largestZoom());
    stretch();
    scroll = share * contentHeight;
    settle();
  }

  /** Shows everything. */
  void fit() {
    zoom = 1;
    panned = 0;
    scroll = 0;
    arrange();
    stretch();
    settle();
  }

  List<Strip> strips() {
    return strips;
  }

  int width() {
    return width;
  }

  int height() {
    return height;
  }

  /** 1 when everything is shown; larger when zoomed in. */
  double zoom() {
    return zoom;
  }

  /** Upper edge in the view of the heading of an end; only if there are two ends. */
  double headingOf(int end) {
    return headings.get(end) - scroll;
  }

  /** Lower edge of a strip in the view. */
  static int bottomOf(Strip strip) {
    return strip.yOf(strip.rows);
  }

  /** Height of a heading, 0 when there is none. */
  double headingHeight() {
    return shape.length > 1 ? HEADING * scale : 0;
  }

  /** Whether cells are large enough to have an edge between them. */
  boolean hasEdges(Strip strip) {
    return strip.cell >= EDGED_CELL * scale && strip.row >= EDGED_CELL * scale;
  }

  /** Width of the edge between cells. */
  int edge() {
    return (int) Math.max(1, Math.round(scale));
  }

  /** Zooms by a factor; the chunk at the point stays there as far as the edges allow. */
  void zoom(double factor, double x, double y) {
    Strip strip = nearest(y);
    if (strip == null || width == 0) {
      return;
    }
    double across = (x + strip.offset) / Math.max(1e-9, strip.contentWidth());
    double down = (y + scroll - strip.top) / Math.max(1e-9, strip.contentHeight());
    zoom = Math.clamp(zoom * factor, 1.0, largestZoom());
    stretch();
    scroll = strip.top + down * strip.contentHeight() - y;
    double overhang = strip.contentWidth() - width;
    if (overhang > 0) {
      panned = (across * strip.contentWidth() - x) / overhang;
    }
    settle();
  }

  /** Moves the visible part; the strip at height {@code y} follows the movement exactly. */
  void pan(double dx, double dy, double y) {
    Strip strip = nearest(y);
    if (strip == null) {
      return;
    }
    double overhang = strip.contentWidth() - width;
    if (overhang > 0) {
      panned -= dx / overhang;
    }
    scroll -= dy;
    settle();
  }

  /** Scrolls and pans as little as needed to show a chunk; returns whether it had to. */
  boolean reveal(Strip strip, int chunk) {
    double scrollBefore = scroll;
    double pannedBefore = panned;
    int row = chunk / strip.columns;
    double y = strip.top + row * strip.row;
    scroll = Math.clamp(scroll, Math.min(y, y + strip.row - height), Math.max(0, y));
    double overhang = strip.contentWidth() - width;
    if (overhang > 0) {
      double x = chunk % strip.columns * strip.cell;
      double offset = panned * overhang;
      panned = Math.clamp(offset, Math.min(x, x + strip.cell - width), Math.max(0, x)) / overhang;
    }
    settle();
    return scroll != scrollBefore || panned != pannedBefore;
  }

  /** The chunks at a point; null if there are none. */
  @Nullable Hit hit(int x, int y) {
    for (Strip strip : strips) {
      if (x < 0 || x >= width || y < strip.y || y >= strip.yOf(strip.rows)) {
        continue;
      }
      int column = strip.columnAt(x);
      if (column >= strip.columns) {
        return null;
      }
      int next = Math.min(strip.columns, Math.max(column + 1, strip.firstColumnAt(x + 1)));
      long first = (long) strip.rowAt(y) * strip.columns + column;
      long count = Math.min(strip.chunks() - first, next - column);
      return count <= 0 ? null : new Hit(strip, (int) first, (int) count);
    }
    return null;
  }

  /** The place of a chunk, at least one pixel large, which may be outside the view. */
  Place placeOf(Strip strip, int chunk) {
    int row = chunk / strip.columns;
    int column = chunk % strip.columns;
    int x = strip.xOf(column);
    int y = strip.yOf(row);
    return new Place(x, y, Math.max(1, strip.xOf(column + 1) - x), strip.yOf(row + 1) - y);
  }

  /** The strip of a block; null if there is none. */
  @Nullable Strip stripOf(int end, int block) {
    if (end < 0 || end >= shape.length || block < 0 || block >= shape[end].length) {
      return null;
    }
    int before = 0;
    for (int other = 0; other < end; other++) {
      before += shape[other].length;
    }
    return strips.get(before + block);
  }

  private @Nullable Strip nearest(double y) {
    Strip found = null;
    for (Strip strip : strips) {
      if (found == null || strip.y <= y) {
        found = strip;
      }
    }
    return found;
  }

  /** Sets rows and columns with which everything fits into the view. */
  private void arrange() {
    if (width <= 0 || height <= 0) {
      return;
    }
    for (int end = 0; end < shape.length; end++) {
      int which = end;
      List<Strip> own = strips.stream().filter(strip -> strip.end() == which).toList();
      if (!own.isEmpty()) {
        double available = (double) height / shape.length - headingHeight();
        new StripFit(own, width, available, gap(), scale).arrange();
      }
    }
  }

  private double gap() {
    return Math.round(GAP * scale);
  }

  private double largestZoom() {
    double largest = 1;
    for (Strip strip : strips) {
      if (strip.fittedCell > 0) {
        largest = Math.max(largest, LARGEST_CELL * scale / strip.fittedCell);
      }
    }
    return largest;
  }

  /** Computes the sizes of cells and the places of strips at the current zoom. */
  private void stretch() {
    headings.clear();
    double y = 0;
    double largest = LARGEST_CELL * scale;
    int end = -1;
    for (Strip strip : strips) {
      while (end < strip.end()) {
        headings.add(y);
        y += headingHeight();
        end++;
      }
      double own = Math.max(1, largest / Math.max(1e-9, strip.fittedCell));
      double grown = Math.min(zoom, own);
      double rowGrowth = Math.max(1, largest / Math.max(1e-9, strip.fittedRow));
      strip.cell = strip.fittedCell * grown;
      strip.row =
          own <= 1
              ? strip.fittedRow
              : strip.fittedRow * Math.pow(rowGrowth, Math.log(grown) / Math.log(own));
      strip.top = y;
      y += strip.contentHeight() + gap();
    }
    while (++end < shape.length) {
      headings.add(y);
      y += headingHeight();
    }
    contentHeight = Math.max(0, y - gap());
  }

  private void settle() {
    scroll = Math.rint(Math.clamp(scroll, 0.0, Math.max(0, contentHeight - height)));
    panned = Math.clamp(panned, 0.0, 1.0);
    for (Strip strip : strips) {
      strip.y = (int) Math.rint(strip.top - scroll);
      strip.offset = (int) Math.rint(panned * Math.max(0, strip.contentWidth() - width));
      strip.index(width);
    }
  }
}
