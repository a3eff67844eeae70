// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.wridscope.memory.ChunkTable;

/**
 * How the last word of a query can go on: the name of a field, or a value of one.
 *
 * @param word the completed word
 * @param query the query with it
 */
public record QueryCompletion(String word, String query) {
  private static final Pattern LAST = Pattern.compile("(?:^|.*[\\s(])!?([^\\s()\"!]+)$");
  private static final Pattern LAST_VALUE =
      Pattern.compile("(?:^|.*[\\s(])!?([a-zA-Z]+)(!?=)([^\\s()\"]*)$");

  /**
   * How a query can go on.
   *
   * @param text what was typed so far
   * @param blocks the RAM blocks that can be named; empty while they are not known
   * @return those that begin with what was typed, unless it is complete
   */
  public static List<QueryCompletion> of(String text, List<ChunkTable> blocks) {
    if (text.chars().filter(each -> each == '"').count() % 2 != 0) {
      return List.of();
    }
    Matcher value = LAST_VALUE.matcher(text);
    if (value.matches()) {
      SearchField field = SearchField.of(value.group(1));
      return field == null
          ? List.of()
          : starting(text, value.group(3), field.named(blocks).stream());
    }
    Matcher name = LAST.matcher(text);
    return name.matches()
        ? starting(
            text,
            name.group(1),
            Arrays.stream(SearchField.values()).map(field -> field.title() + "="))
        : List.of();
  }

  private static List<QueryCompletion> starting(String text, String typed, Stream<String> words) {
    String before = text.substring(0, text.length() - typed.length());
    String begin = typed.toLowerCase(Locale.ROOT);
    List<String> all =
        words.filter(word -> word.toLowerCase(Locale.ROOT).startsWith(begin)).toList();
    return all.equals(List.of(typed))
        ? List.of()
        : all.stream().map(word -> new QueryCompletion(word, before + word)).toList();
  }
}
