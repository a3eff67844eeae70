// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import java.util.ArrayList;
import java.util.List;

/** Wraps text between words. */
public final class Wrap {
  private Wrap() {}

  /**
   * Splits a text into lines, at least one.
   *
   * @param width maximum length of a line, unless a single word is longer
   */
  public static List<String> lines(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
