// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

/**
 * One figure of the overview.
 *
 * @param value the figure, short
 * @param detail what it is based on or compared with, a phrase
 * @param mood how it looks
 */
public record Tile(String value, String detail, Mood mood) {
  /** How much attention a figure deserves. */
  public enum Mood {
    /** Not known yet, or not here. */
    QUIET,
    PLAIN,
    GOOD,
    WARNING,
    BAD
  }

  static final String NOTHING = "–";

  static Tile quiet(String detail) {
    return new Tile(NOTHING, detail, Mood.QUIET);
  }

  static Tile plain(String value, String detail) {
    return new Tile(value, detail, Mood.PLAIN);
  }
}
