// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import org.wridscope.ui.Palette;

/**
 * A line of a chart.
 *
 * @param label a word or two for the legend
 * @param style tells lines apart where colours do not
 */
public record Series(String label, Palette colour, Reading reading, Style style) {

  /** How a series is drawn. */
  public enum Style {
    LINE,
    DASHED,
    /** A line with its area filled down to zero. */
    AREA
  }

  public static Series line(String label, Palette colour, Reading reading) {
    return new Series(label, colour, reading, Style.LINE);
  }

  public static Series dashed(String label, Palette colour, Reading reading) {
    return new Series(label, colour, reading, Style.DASHED);
  }

  public static Series area(String label, Palette colour, Reading reading) {
    return new Series(label, colour, reading, Style.AREA);
  }
}
