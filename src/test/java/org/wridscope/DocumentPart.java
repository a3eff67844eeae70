// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The part of a document that a program writes, between two lines that stay.
 *
 * @param begin the line before it, with its end
 * @param end the line after it
 */
public record DocumentPart(String begin, String end) {

  /**
   * Replaces it.
   *
   * @throws IOException if the document has no place for it; one sentence
   */
  public void write(Path document, CharSequence text) throws IOException {
    String before = Files.readString(document);
    int from = before.indexOf(begin);
    int to = before.indexOf(end);
    if (from < 0 || to < from) {
      throw new IOException("%s has no place for the table.".formatted(document));
    }
    Files.writeString(
        document, before.substring(0, from + begin.length()) + text + before.substring(to));
  }
}
