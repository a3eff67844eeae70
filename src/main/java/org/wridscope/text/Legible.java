// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

/**
 * Makes text from a peer or a file safe to show and to write anywhere. Characters that control a
 * terminal, start a new line, change the direction of the text around them, or are invisible are
 * replaced by an escape: a newline by {@code \n}, ESC by {@code \x1b}, a right-to-left override by
 * {@code <U+202E>}. Legible text is unchanged when it is made legible again.
 *
 * <p>Text is made legible where bytes are decoded into strings. Names that must match byte for byte
 * are not: they are refused there unless they are printable ASCII, which is always legible.
 */
public final class Legible {
  /** Maximum length of the result, in characters; the rest is cut off. */
  public static final int MAX_LENGTH = 1 << 12;

  private static final String REST = "...";

  private Legible() {}

  /** The legible text, of at most {@value #MAX_LENGTH} characters. */
  public static String of(String text) {
    return of(text, MAX_LENGTH);
  }

  /**
   * The legible text.
   *
   * @param maxLength maximum length of the result, at least 3; three dots replace what is cut off
   */
  public static String of(String text, int maxLength) {
    int plain = plain(text, maxLength);
    if (plain == text.length()) {
      return text;
    }
    int room = maxLength - REST.length();
    int fits = Math.min(plain, room);
    var legible = new StringBuilder(plain + 16).append(text, 0, plain);
    int at = plain;
    while (at < text.length() && legible.length() <= maxLength) {
      int c = text.codePointAt(at);
      if (isSafe(c)) {
        legible.appendCodePoint(c);
      } else {
        escape(legible, c);
      }
      if (legible.length() <= room) {
        fits = legible.length();
      }
      at += Character.charCount(c);
    }
    if (legible.length() > maxLength) {
      legible.setLength(fits);
      legible.append(REST);
    }
    return legible.toString();
  }

  /** Length of the prefix that needs no change. */
  private static int plain(String text, int maxLength) {
    int end = Math.min(text.length(), maxLength);
    int at = 0;
    while (at < end && text.charAt(at) >= ' ' && text.charAt(at) < 0x7f) {
      at++;
    }
    return at;
  }

  private static void escape(StringBuilder into, int c) {
    switch (c) {
      case '\n' -> into.append("\\n");
      case '\r' -> into.append("\\r");
      case '\t' -> into.append("\\t");
      default -> into.append((c < 0x100 ? "\\x%02x" : "<U+%04X>").formatted(c));
    }
  }

  /** Whether a character is visible and controls nothing. */
  static boolean isSafe(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> !isInvisible(c);
    };
  }

  /**
   * Letters and marks without a visible glyph: DerivedCoreProperties.txt of Unicode,
   * Default_Ignorable_Code_Point, and the empty pattern of Braille.
   */
  private static boolean isInvisible(int c) {
    return c == 0x034f
        || c == 0x115f
        || c == 0x1160
        || c == 0x17b4
        || c == 0x17b5
        || (c >= 0x180b && c <= 0x180f)
        || c == 0x2800
        || c == 0x3164
        || (c >= 0xfe00 && c <= 0xfe0f)
        || c == 0xffa0
        || (c >= 0xe0000 && c <= 0xe0fff);
  }
}
