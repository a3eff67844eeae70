// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

/**
 * One figure of the overview.
 *
 * @param value the figure itself, short
 * @param detail what it rests on or stands beside, a phrase
 * @param mood how it should look
 */
public record Tile(String value, String detail, Mood mood) {
  /** Whether a figure wants attention. */
  public enum Mood {
    /** Nothing to say yet. */
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
