// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * What migrations have in common that stand under one heading. Those without a name come first, the
 * others as in a dictionary, but 10.9.0.2 before 10.9.0.10.
 *
 * @param named whether the title is a name, and not a phrase for those that have none
 */
record Group(boolean named, String title) implements Comparable<Group> {
  private static final Comparator<Group> ORDER =
      Comparator.comparing(Group::named)
          .thenComparing(Group::padded, String.CASE_INSENSITIVE_ORDER)
          .thenComparing(Group::title);

  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  /** Longer than the numbers in names. */
  private static final int DIGITS = 20;

  /** The title with zeros before its numbers. */
  private String padded() {
    return NUMBER
        .matcher(title)
        .replaceAll(
            number -> "0".repeat(Math.max(0, DIGITS - number.group().length())) + number.group());
  }

  @Override
  public int compareTo(Group other) {
    return ORDER.compare(this, other);
  }
}
