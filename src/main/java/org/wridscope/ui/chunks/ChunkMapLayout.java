// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where chunks lie in a map, in pixels. Each RAM block is a strip of rows that are read like lines
 * of text; heights are to scale, but none is too low to be seen.
 *
 * <p>A row keeps its chunks at every zoom, so that the map is stretched and never arranged anew.
 * Far out, where chunks are narrower than a pixel, rows are stretched less than chunks, until both
 * are squares. What is too wide is panned by a share of its own overhang, the same for all strips.
 */
final class ChunkMapLayout {
  private static final double LARGEST_CELL = 32;
  private static final double LARGEST_FITTED = 20;
  private static final double SMALLEST_CELL = 3;
  private static final double WIDEST_SHAPE = 1.5;
  private static final double LOWEST_STRIP = 16;
  private static final double GAP = 6;
  private static final double HEADING = 20;
  private static final double EDGED_CELL = 5;
  private static final int[] NOTHING = new int[0];

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

  /** One RAM block of one end. */
  static final class Strip {
    private final int end;
    private final int block;
    private final int chunks;
    private int columns = 1;
    private int rows = 1;
    // Above 0 always, also while there is no view to fit into.
    private double fittedCell = 1;
    private double fittedRow = 1;
    private double cell = 1;
    private double row = 1;
    private double top;
    private int offset;
    private int y;
    private int[] firstColumns = NOTHING;

    private Strip(int end, int block, int chunks) {
      this.end = end;
      this.block = block;
      this.chunks = chunks;
    }

    /** 0 for the upper end, 1 for the lower one. */
    int end() {
      return end;
    }

    int block() {
      return block;
    }

    int chunks() {
      return chunks;
    }

    /** Chunks of a row; the last row may have fewer. */
    int columns() {
      return columns;
    }

    int rows() {
      return rows;
    }

    /** Width of a chunk; below 1, several of them share a pixel. */
    double cell() {
      return cell;
    }

    /** Height of a row. */
    double row() {
      return row;
    }

    /** Upper edge in the view, negative when scrolled out. */
    int y() {
      return y;
    }

    /** Upper edge of a row in the view; that of the row after the last is the lower edge. */
    int yOf(int rowNumber) {
      return y + (int) Math.floor(rowNumber * row);
    }

    /** Left edge of a column in the view. */
    int xOf(int column) {
      return (int) Math.floor(column * cell) - offset;
    }

    /** The first column whose left edge is not left of {@code x}; may be one after the last. */
    int firstColumnAt(int x) {
      return x >= 0 && x < firstColumns.length ? firstColumns[x] : findFirstColumn(x);
    }

    /** Remembers the columns of all pixels in sight, where several share each of them. */
    private void index(int width) {
      int[] found = cell < 1 ? new int[width + 1] : NOTHING;
      for (int x = 0; x < found.length; x++) {
        found[x] = findFirstColumn(x);
      }
      firstColumns = found;
    }

    private int findFirstColumn(int x) {
      int column = (int) Math.ceil((x + offset) / cell);
      while (column > 0 && xOf(column - 1) >= x) {
        column--;
      }
      while (xOf(column) < x) {
        column++;
      }
      return column;
    }

    /** The column that {@code x} lies in, the first one where several do. */
    int columnAt(int x) {
      int column = firstColumnAt(x);
      return xOf(column) == x ? column : column - 1;
    }

    /** The row that {@code y} lies in, which may be none that the strip has. */
    int rowAt(int at) {
      int number = (int) Math.floor((at - y) / row);
      while (yOf(number) > at) {
        number--;
      }
      while (yOf(number + 1) <= at) {
        number++;
      }
      return number;
    }

    private double contentWidth() {
      return columns * cell;
    }

    private double contentHeight() {
      return rows * row;
    }
  }

  /**
   * What lies at a point.
   *
   * @param chunk the first one
   * @param count how many share the pixel, at least 1
   */
  record Hit(Strip strip, int chunk, int count) {}

  /** Where a chunk lies in the view. */
  record Place(int x, int y, int width, int height) {}

  /**
   * Sets what there is, and shows all of it.
   *
   * @param chunks for each end, from top to bottom, the chunks of each of its blocks
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
   * Sets the size of the view and keeps what is seen as well as it can.
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

  /** 1 when everything is shown, more when there is less of it. */
  double zoom() {
    return zoom;
  }

  /** Upper edge in the view of the heading of an end; only when there are two. */
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

  /** Whether cells are large enough to be told apart by an edge. */
  boolean hasEdges(Strip strip) {
    return strip.cell >= EDGED_CELL * scale && strip.row >= EDGED_CELL * scale;
  }

  /** Width of the edge between cells that have one. */
  int edge() {
    return (int) Math.max(1, Math.round(scale));
  }

  /** Zooms by a factor; what lies under the point stays there as far as the edges allow. */
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

  /** Moves what is seen; the strip under the point follows the movement. */
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

  /** Scrolls and pans as little as is needed to see a chunk. Returns whether it had to. */
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

  /** What lies at a point; null when nothing does. */
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
      long count = Math.min(strip.chunks - first, next - column);
      return count <= 0 ? null : new Hit(strip, (int) first, (int) count);
    }
    return null;
  }

  /** Where a chunk lies, at least one pixel, whether or not that is in sight. */
  Place placeOf(Strip strip, int chunk) {
    int row = chunk / strip.columns;
    int column = chunk % strip.columns;
    int x = strip.xOf(column);
    int y = strip.yOf(row);
    return new Place(x, y, Math.max(1, strip.xOf(column + 1) - x), strip.yOf(row + 1) - y);
  }

  /** The strip of a block; null when there is none. */
  @Nullable Strip stripOf(int end, int block) {
    for (Strip strip : strips) {
      if (strip.end == end && strip.block == block) {
        return strip;
      }
    }
    return null;
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

  /** Finds rows and columns with which everything can be seen. */
  private void arrange() {
    if (width <= 0 || height <= 0) {
      return;
    }
    for (int end = 0; end < shape.length; end++) {
      int which = end;
      List<Strip> own = strips.stream().filter(strip -> strip.end == which).toList();
      if (!own.isEmpty()) {
        arrange(own, (double) height / shape.length - headingHeight());
      }
    }
  }

  private void arrange(List<Strip> own, double available) {
    double gap = gap();
    double lowest =
        Math.clamp(available / 2 / own.size() - gap, SMALLEST_CELL * scale, LOWEST_STRIP * scale);
    double free = available - gap * own.size();
    for (double row = Math.floor(LARGEST_FITTED * scale); row >= SMALLEST_CELL * scale; row--) {
      for (double cell = Math.floor(row * WIDEST_SHAPE); cell >= row; cell--) {
        if (heightWith(own, cell, row, lowest) <= free) {
          for (Strip strip : own) {
            setCells(strip, cell, row, lowest);
          }
          return;
        }
      }
    }
    arrangeNarrow(own, lowest, free);
  }

  private int rowsWith(Strip strip, double cell) {
    int columns = Math.max(1, (int) (width / cell));
    return Math.max(1, Math.ceilDiv(strip.chunks, columns));
  }

  private double heightWith(List<Strip> own, double cell, double row, double lowest) {
    double sum = 0;
    for (Strip strip : own) {
      sum += Math.max(lowest, rowsWith(strip, cell) * row);
    }
    return sum;
  }

  private void setCells(Strip strip, double cell, double row, double lowest) {
    int rows = rowsWith(strip, cell);
    if (rows * row < lowest) {
      setLow(strip, lowest);
    } else {
      strip.columns = Math.max(1, (int) (width / cell));
      strip.rows = rows;
      strip.fittedCell = cell;
      strip.fittedRow = row;
    }
  }

  /** A strip that would be too low to be seen: one row, with cells as wide as there is room. */
  private void setLow(Strip strip, double lowest) {
    strip.columns = Math.max(1, strip.chunks);
    strip.rows = 1;
    strip.fittedRow = lowest;
    strip.fittedCell = Math.min(lowest, (double) width / strip.columns);
  }

  /**
   * There are more chunks than cells that can be told apart, so cells become narrower than high.
   */
  private void arrangeNarrow(List<Strip> own, double lowest, double free) {
    var tall = new ArrayList<>(own);
    double left = free;
    boolean again = true;
    while (again && tall.size() > 1) {
      double sum = tall.stream().mapToDouble(Strip::chunks).sum();
      double share = left / sum;
      List<Strip> low = tall.stream().filter(strip -> strip.chunks * share < lowest).toList();
      again = !low.isEmpty() && low.size() < tall.size();
      if (again) {
        low.forEach(strip -> setLow(strip, lowest));
        left -= low.size() * lowest;
        tall.removeAll(low);
      }
    }
    double sum = tall.stream().mapToDouble(Strip::chunks).sum();
    double row = Math.max(1, Math.floor(SMALLEST_CELL * scale));
    for (Strip strip : tall) {
      int rows = (int) Math.max(1, left * strip.chunks / sum / row);
      strip.columns = Math.max(1, Math.ceilDiv(strip.chunks, rows));
      strip.rows = Math.max(1, Math.ceilDiv(strip.chunks, strip.columns));
      strip.fittedCell = (double) width / strip.columns;
      strip.fittedRow = row;
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

  /** Computes the sizes of cells and the places of strips at the present zoom. */
  private void stretch() {
    headings.clear();
    double y = 0;
    double largest = LARGEST_CELL * scale;
    int end = -1;
    for (Strip strip : strips) {
      while (end < strip.end) {
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
