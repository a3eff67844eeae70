// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/** Work requests in the order of a moment of theirs, their post or their end. */
public interface Timeline {
  /** The index of the oldest that is kept. */
  long first();

  /** The index of the newest plus one. */
  long end();

  /** The request at an index. */
  long id(long index);

  /** Its moment, {@link System#nanoTime()}; never falls from index to index. */
  long nanos(long index);

  /**
   * The index of the first request at a moment or later, {@link #end()} when there is none; in
   * logarithmic time.
   */
  default long indexOf(long nanos) {
    return indexOf(nanos, first(), end());
  }

  /**
   * The index of the first request at a moment or later, if it lies within a stretch.
   *
   * @param from index that is returned when all are later
   * @param to index that is returned when all are earlier
   */
  default long indexOf(long nanos, long from, long to) {
    long low = from;
    long high = to;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (nanos(middle) < nanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
