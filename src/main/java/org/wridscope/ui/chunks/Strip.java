// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chunks;

/**
 * One RAM block of one end in a {@link ChunkMapLayout}: rows of chunks that are read like lines of
 * text. All places are in pixels of the view.
 */
final class Strip {
  private static final int[] NOTHING = new int[0];

  private final int end;
  private final int block;
  private final int chunks;

  // Set by the layout.
  int columns = 1;
  int rows = 1;

  /** Size of a chunk at zoom 1; always above 0, even while the view has no size. */
  double fittedCell = 1;

  double fittedRow = 1;
  double cell = 1;
  double row = 1;
  double top;
  int offset;
  int y;
  private int[] firstColumns = NOTHING;

  Strip(int end, int block, int chunks) {
    this.end = end;
    this.block = block;
    this.chunks = chunks;
  }

  /** 0 for the upper end, 1 for the lower end. */
  int end() {
    return end;
  }

  int block() {
    return block;
  }

  int chunks() {
    return chunks;
  }

  /** Number of chunks in a row; the last row may have fewer. */
  int columns() {
    return columns;
  }

  int rows() {
    return rows;
  }

  /** Width of a chunk; below 1, several chunks share a pixel. */
  double cell() {
    return cell;
  }

  /** Height of a row. */
  double row() {
    return row;
  }

  /** Upper edge in the view; negative when scrolled out of it. */
  int y() {
    return y;
  }

  /** Upper edge of a row in the view; of the row after the last one, the lower edge. */
  int yOf(int rowNumber) {
    return y + (int) Math.floor(rowNumber * row);
  }

  /** Left edge of a column in the view. */
  int xOf(int column) {
    return (int) Math.floor(column * cell) - offset;
  }

  /** The first column whose left edge is at {@code x} or right of it; may be after the last. */
  int firstColumnAt(int x) {
    return x >= 0 && x < firstColumns.length ? firstColumns[x] : findFirstColumn(x);
  }

  /** Stores the first column of each pixel in view, if several columns share a pixel. */
  void index(int width) {
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

  /** The column at {@code x}; the first one if several share the pixel. */
  int columnAt(int x) {
    int column = firstColumnAt(x);
    return xOf(column) == x ? column : column - 1;
  }

  /** The row at a height in the view; may be outside the strip. */
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

  double contentWidth() {
    return columns * cell;
  }

  double contentHeight() {
    return rows * row;
  }
}
