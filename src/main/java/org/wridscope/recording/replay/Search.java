// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.util.List;
import java.util.function.ToLongFunction;

/** Binary search by time. */
final class Search {
  private Search() {}

  /** The index of the last element at or before a moment, -1 when there is none. */
  static <T> int lastAt(List<T> sorted, ToLongFunction<T> time, long nanos) {
    int low = 0;
    int high = sorted.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (time.applyAsLong(sorted.get(middle)) <= nanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
