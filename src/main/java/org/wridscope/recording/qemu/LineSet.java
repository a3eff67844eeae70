// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Some lines of a file, by their numbers from 1. For one thread while lines are added. */
final class LineSet {
  /** All lines of a file. */
  static final LineSet ALL = new LineSet();

  static {
    ALL.ranges.add(new long[] {1, Long.MAX_VALUE});
  }

  /** First and last line of each range, in order. */
  private final List<long[]> ranges = new ArrayList<>();

  /** Adds a line behind all others. */
  void add(long line) {
    if (!ranges.isEmpty() && ranges.getLast()[1] == line - 1) {
      ranges.getLast()[1] = line;
    } else {
      ranges.add(new long[] {line, line});
    }
  }

  /** The lines of several sets. */
  static LineSet union(List<LineSet> sets) {
    var all = new LineSet();
    sets.stream()
        .flatMap(set -> set.ranges.stream())
        .sorted((one, other) -> Long.compare(one[0], other[0]))
        .forEach(all::addRange);
    return all;
  }

  private void addRange(long[] range) {
    if (!ranges.isEmpty() && ranges.getLast()[1] == range[0] - 1) {
      ranges.getLast()[1] = range[1];
    } else {
      ranges.add(range.clone());
    }
  }

  boolean has(long line) {
    int from = 0;
    int to = ranges.size();
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (ranges.get(middle)[1] < line) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from < ranges.size() && ranges.get(from)[0] <= line;
  }

  boolean isAny() {
    return !ranges.isEmpty();
  }

  /** The first line. */
  long first() {
    return ranges.getFirst()[0];
  }

  /** For the user: {@code 2 to 5, 9}. */
  String text() {
    return ranges.stream()
        .map(range -> range[0] == range[1] ? "" + range[0] : range[0] + " to " + range[1])
        .collect(Collectors.joining(", "));
  }
}
