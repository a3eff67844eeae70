// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds words in the line of an event or in the name of a request, in capital letters or not. A
 * number is found only as a whole, 17 neither in 170 nor in 17.5; it also finds the wrid and the
 * key with its value.
 */
final class Words implements Predicate<Subject> {
  private final String words;
  private final @Nullable Long number;

  Words(String text) {
    words = text.toLowerCase(Locale.ROOT);
    number = SearchField.isNumber(text) ? parsed(text) : null;
  }

  private static @Nullable Long parsed(String text) {
    try {
      return SearchField.parse(text);
    } catch (NumberFormatException _) {
      return null; // more than 64 bits: still a word
    }
  }

  @Override
  public boolean test(Subject of) {
    return (number != null && (number.equals(of.wrid()) || (of.key() >= 0 && number == of.key())))
        || isIn(of.text().get().toLowerCase(Locale.ROOT));
  }

  private boolean isIn(String text) {
    for (int at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
      if (!cutsBefore(text, at) && !cutsAfter(text, at + words.length())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a number begins before the place where the words do. */
  private boolean cutsBefore(String text, int at) {
    return beginsWithDigit()
        && at > 0
        && (isDigit(text.charAt(at - 1))
            || isLetter(text.charAt(at - 1))
            || (at > 1 && isPoint(text.charAt(at - 1)) && isDigit(text.charAt(at - 2))));
  }

  /** Whether a number goes on after the place where the words end. */
  private boolean cutsAfter(String text, int at) {
    return endsWithDigit()
        && at < text.length()
        && (isDigit(text.charAt(at))
            || (number != null && isLetter(text.charAt(at)))
            || (at + 1 < text.length()
                && isPoint(text.charAt(at))
                && isDigit(text.charAt(at + 1))));
  }

  private boolean beginsWithDigit() {
    return !words.isEmpty() && isDigit(words.charAt(0));
  }

  private boolean endsWithDigit() {
    return number != null || (!words.isEmpty() && isDigit(words.charAt(words.length() - 1)));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLetter(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isPoint(char c) {
    return c == '.' || c == ',';
  }
}
