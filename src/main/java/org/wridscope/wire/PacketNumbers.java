// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.Map;
import java.util.TreeMap;

/** Packet sequence numbers that were passed over, of which some may come later. */
final class PacketNumbers {
  /** Of more ranges the oldest ones are only counted. */
  private static final int MOST_RANGES = 1 << 14;

  /** The first number of each range, and the last one. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  private long forgotten;

  /** These numbers were passed over; none of them is one already. */
  void skip(long first, long last) {
    if (first > last) {
      return;
    }
    ranges.put(first, last);
    if (ranges.size() > MOST_RANGES) {
      Map.Entry<Long, Long> oldest = ranges.pollFirstEntry();
      forgotten += oldest.getValue() - oldest.getKey() + 1;
    }
  }

  /** This number came after all. */
  void came(long number) {
    Map.Entry<Long, Long> range = ranges.floorEntry(number);
    if (range == null || range.getValue() < number) {
      return;
    }
    long first = range.getKey();
    long last = range.getValue();
    ranges.remove(first);
    if (first < number) {
      ranges.put(first, number - 1);
    }
    if (number < last) {
      ranges.put(number + 1, last);
    }
  }

  /** No number that was passed over comes any more: later ones are of other packets. */
  void restart() {
    forgotten = count();
    ranges.clear();
  }

  /** How many never came. */
  long count() {
    return forgotten
        + ranges.entrySet().stream().mapToLong(each -> each.getValue() - each.getKey() + 1).sum();
  }
}
