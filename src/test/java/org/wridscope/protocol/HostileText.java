// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.util.regex.Pattern;

/** Text with which a peer may try to deceive or harm its reader. */
public final class HostileText {
  /** Every byte value, and all characters that reorder or hide text or begin a line. */
  public static final String ALL = all();

  private static final Pattern UNSAFE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]");

  private HostileText() {}

  private static String all() {
    var text = new StringBuilder("hostile");
    for (char c = 0; c < 0x100; c++) {
      text.append(c);
    }
    text.append("\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e");
    text.append("\u2060\u2066\u2067\u2068\u2069\ufeff\u061c\ufff9\ufffa\ufffb\udb40\udc41");
    return text.toString();
  }

  /**
   * The name of the first character that is not allowed; empty if there is none.
   *
   * @param lines whether newlines and tabs are allowed, as in a whole file
   */
  public static String unsafe(String text, boolean lines) {
    String checked = lines ? text.replaceAll("[\n\r\t]", "") : text;
    var matcher = UNSAFE.matcher(checked);
    if (!matcher.find()) {
      return "";
    }
    int from = Math.max(0, matcher.start() - 40);
    return "U+%04X after \"%s\""
        .formatted(checked.codePointAt(matcher.start()), checked.substring(from, matcher.start()));
  }
}
