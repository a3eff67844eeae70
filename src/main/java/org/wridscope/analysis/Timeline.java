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
    long low = first();
    long high = end();
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
