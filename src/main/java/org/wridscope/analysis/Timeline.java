// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/** Work requests in the order of their posts, or of their ends. */
public interface Timeline {
  /** The index of the oldest entry that is kept. */
  long first();

  /** The index of the newest entry plus one. */
  long end();

  /** The request at an index. */
  long id(long index);

  /** Its moment, {@link System#nanoTime()}; never decreases from index to index. */
  long nanos(long index);

  /**
   * The index of the first request at or after a moment, {@link #end()} when there is none. Takes
   * logarithmic time.
   */
  default long indexOf(long nanos) {
    return indexOf(nanos, first(), end());
  }

  /**
   * The index of the first request at or after a moment, within a range of indices.
   *
   * @param from returned when all are later
   * @param to returned when all are earlier
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

  /** How many entries there are from a moment to before another one. */
  default long countIn(long fromNanos, long toNanos) {
    return indexOf(toNanos) - indexOf(fromNanos);
  }

  /**
   * Like {@link #indexOf(long, long, long)}, but faster the closer the result is to a guess; for
   * callers that ask for ascending or descending moments.
   *
   * @param guess an index within the range
   */
  default long indexNear(long nanos, long from, long to, long guess) {
    long near = Math.clamp(guess, from, to);
    long low = from;
    long high = to;
    long step = 1;
    if (near < to && nanos(near) < nanos) {
      low = near + 1;
      while (low + step < to && nanos(low + step) < nanos) {
        low += step + 1;
        step *= 2;
      }
      high = Math.min(to, low + step);
    } else {
      high = near;
      while (high - step > from && nanos(high - step) >= nanos) {
        high -= step;
        step *= 2;
      }
      low = Math.max(from, high - step);
    }
    return indexOf(nanos, low, high);
  }
}
