// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Up to two moments that the user compares. They limit nothing that views show, unlike a {@link
 * TimeRange.Span range}.
 *
 * @param moments none, one or two, in the order in which they were set; {@link System#nanoTime()}
 */
public record Markers(List<Long> moments) {
  private static final int MOST = 2;

  /** No marker. */
  static final Markers NONE = new Markers(List.of());

  public Markers {
    if (moments.size() > MOST) {
      throw new IllegalArgumentException("there are at most %d markers".formatted(MOST));
    }
    moments = List.copyOf(moments);
  }

  /** These with another one, which takes the place of the older one if there are two. */
  Markers and(long nanos) {
    var more = new ArrayList<>(moments);
    more.add(nanos);
    return new Markers(more.subList(Math.max(0, more.size() - MOST), more.size()));
  }

  /** The same, later by some nanoseconds. */
  Markers later(long nanos) {
    return new Markers(moments.stream().map(moment -> moment + nanos).toList());
  }

  /** What lies between two markers; null if there are not two, or both are at the same moment. */
  public TimeRange.@Nullable Span between() {
    if (moments.size() < MOST || moments.getFirst().equals(moments.getLast())) {
      return null;
    }
    long one = moments.getFirst();
    long other = moments.getLast();
    return new TimeRange.Span(Math.min(one, other), Math.max(one, other));
  }
}
