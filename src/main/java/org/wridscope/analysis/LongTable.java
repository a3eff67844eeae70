// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.List;

/**
 * A table with a fixed number of long columns. Rows are appended; when there are too many, the
 * oldest are removed. The number of a row never changes. Not thread-safe.
 */
class LongTable {
  private static final int SEGMENT_SHIFT = 12;

  /** Rows are allocated and removed in segments of this size. */
  static final int SEGMENT = 1 << SEGMENT_SHIFT;

  private final List<long[]> segments = new ArrayList<>();
  private final int width;
  private final int maxSegments;
  private long first;
  private long end;

  /**
   * @param width number of columns
   * @param rows lower limit of how many of the newest rows are kept
   */
  LongTable(int width, long rows) {
    this.width = width;
    maxSegments = Math.toIntExact(1 + (rows + SEGMENT - 1) / SEGMENT);
  }

  /** The number of the oldest row, counted from the first one that was ever added. */
  public final long first() {
    return first;
  }

  /** The number of the newest row plus one. */
  public final long end() {
    return end;
  }

  /** Whether this row is kept. */
  public final boolean has(long row) {
    return row >= first && row < end;
  }

  /**
   * Appends a row and returns its number.
   *
   * @param values of the first columns; the others are 0
   */
  final long add(long... values) {
    if ((end & (SEGMENT - 1)) == 0) {
      if (segments.size() == maxSegments) {
        segments.removeFirst();
        first += SEGMENT;
      }
      segments.add(new long[SEGMENT * width]);
    }
    System.arraycopy(values, 0, segments.getLast(), offset(end), values.length);
    return end++;
  }

  /** Removes the newest rows, from this number on. */
  final void truncate(long row) {
    end = row;
    int needed = (int) ((end - first + SEGMENT - 1) >> SEGMENT_SHIFT);
    while (segments.size() > needed) {
      segments.removeLast();
    }
  }

  final long get(long row, int column) {
    return segment(row)[offset(row) + column];
  }

  final void set(long row, int column, long value) {
    segment(row)[offset(row) + column] = value;
  }

  private long[] segment(long row) {
    return segments.get((int) ((row - first) >> SEGMENT_SHIFT));
  }

  private int offset(long row) {
    return (int) (row & (SEGMENT - 1)) * width;
  }

  /**
   * The first row that has a value, or -1.
   *
   * @param column one whose values never decrease from row to row
   */
  final long rowOf(int column, long value) {
    long row = indexOf(column, value);
    return has(row) && get(row, column) == value ? row : -1;
  }

  /**
   * The first row whose value is at least the given one.
   *
   * @param column one whose values never decrease from row to row
   * @return {@link #end()} when there is none
   */
  final long indexOf(int column, long value) {
    long low = first;
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (get(middle, column) < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
