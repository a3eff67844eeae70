// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.util.Locale;
import org.wridscope.units.Parse;

/**
 * Whether a guest is slowed down while it is migrated, so that it writes less.
 *
 * @param percent of the time in which it does not run, 1 to {@value #MAX}; 0 for no throttle
 */
public record Throttle(int percent) {
  /** The most that QEMU allows, too. */
  public static final int MAX = 99;

  public static final Throttle OFF = new Throttle(0);

  public Throttle {
    if (percent < 0 || percent > MAX) {
      throw new IllegalArgumentException("a throttle of " + percent + " percent");
    }
  }

  /**
   * Parses {@code off}, or a percentage such as {@code 50} or {@code 50%}.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static Throttle parse(String field, String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    if (wanted.equals("off")) {
      return OFF;
    }
    String digits = wanted.endsWith("%") ? wanted.substring(0, wanted.length() - 1) : wanted;
    if (!digits.matches("[1-9][0-9]?")) {
      throw new IllegalArgumentException(
          "%s: %s is not a throttle; write off or 1%% to %d%%."
              .formatted(field, Parse.quoted(text), MAX));
    }
    return new Throttle(Integer.parseInt(digits));
  }

  public boolean isOff() {
    return percent == 0;
  }

  /** As it is typed. */
  public String text() {
    return isOff() ? "off" : percent + "%";
  }
}
