// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * A text as a sequence of words: letters and digits in lower case, and where each is. Underscores,
 * dashes and spaces separate words, so that a name and the same words in a sentence are alike.
 */
final class Words {
  /** Between words of one name or phrase: two characters at most, such as ", ". */
  private static final int LONGEST_GAP = 2;

  private final List<String> words = new ArrayList<>();
  private final List<Integer> starts = new ArrayList<>();

  Words(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    int at = 0;
    while (at < lower.length()) {
      int start = at;
      while (at < lower.length() && isLetter(lower.charAt(at))) {
        at++;
      }
      if (at > start) {
        words.add(lower.substring(start, at));
        starts.add(start);
      } else {
        at++;
      }
    }
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  int size() {
    return words.size();
  }

  String get(int index) {
    return words.get(index);
  }

  List<String> all() {
    return Collections.unmodifiableList(words);
  }

  /** Index in the text of the first character of a word. */
  int start(int index) {
    return starts.get(index);
  }

  /** Index in the text behind the last character of a word. */
  int end(int index) {
    return starts.get(index) + words.get(index).length();
  }

  /** Whether a word follows the one before it so closely that both may belong to one phrase. */
  boolean joins(int index) {
    return start(index) - end(index - 1) <= LONGEST_GAP;
  }
}
