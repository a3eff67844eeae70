// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/** Names of files on the command line, which the locale may be unable to express. */
final class Names {
  /** A text, which is read as far as the locale allows. */
  private static final String EXPLAIN = "explain";

  private Names() {}

  /** Why a file of one of these names cannot be opened, a sentence; null if each can be named. */
  static @Nullable String unnameable(String... args) {
    return unnameable(
        Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"), StandardCharsets.UTF_8),
        args);
  }

  /**
   * Why a file of one of these names cannot be opened.
   *
   * @param names the encoding of names of files, which the locale determines
   */
  static @Nullable String unnameable(Charset names, String... args) {
    if (names.equals(StandardCharsets.UTF_8)) {
      return null;
    }
    boolean text = args.length > 0 && args[0].equals(EXPLAIN);
    for (String each : args) {
      boolean mayBeName = !text || (args.length == 2 && each.indexOf(' ') < 0);
      if (mayBeName && !names.newEncoder().canEncode(each)) {
        return "The locale has only the characters of %s, which %s is not written in; set LC_ALL=C.UTF-8, and try again."
            .formatted(names.name(), Legible.of(each, 200));
      }
    }
    return null;
  }
}
