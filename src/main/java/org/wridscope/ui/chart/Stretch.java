// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import java.util.ArrayList;
import java.util.List;

/**
 * The visible part of a phase along a time axis. The name of the phase is written within it or not
 * at all: over a neighbour it would name the wrong phase.
 *
 * @param phase index of the phase
 * @param from where it begins, at or after the left edge
 * @param to where the next one begins, or the right edge
 */
record Stretch(int phase, double from, double to) {
  /** The space at either side of a name. */
  private static final double MARGIN = 3;

  /** No name is shorter than this. */
  private static final double LEAST = 16;

  /**
   * The stretches that may have room for a name.
   *
   * @param begins where each phase begins, ascending
   */
  static List<Stretch> of(double[] begins, double left, double right) {
    var stretches = new ArrayList<Stretch>();
    for (int i = 0; i < begins.length; i++) {
      double from = Math.max(left, begins[i]);
      double to = i + 1 < begins.length ? Math.min(right, begins[i + 1]) : right;
      if (to - from >= LEAST) {
        stretches.add(new Stretch(i, from, to));
      }
    }
    return stretches;
  }

  boolean hasRoomFor(double width) {
    return to - from >= width + 2 * MARGIN;
  }

  /** The left edge of the name. */
  double nameX() {
    return from + MARGIN;
  }
}
