// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.telemetry.Role;

/**
 * The sentences of programs, from {@code messages.json}: for each program those that it prints when
 * a migration or a connection fails. A {@code *} in a sentence stands for anything.
 */
final class Messages {
  private static final String NAME = "messages.json";
  private static final List<Sentence> ALL = read();

  /** The sentences by their longest word, so that most of them need not be looked for in a line. */
  private static final Map<String, List<Sentence>> BY_WORD =
      ALL.stream().collect(Collectors.groupingBy(Sentence::word));

  private Messages() {}

  /**
   * A sentence.
   *
   * @param part the longest part of it without {@code *}, in lower case
   * @param word the longest word of that part which is whole in every line that has the part
   * @param numbers whether numbers and texts of errnos in the same line mean something
   * @param end the only end of a migration that prints it, null when either may, or none
   */
  record Sentence(
      Meaning meaning,
      boolean numbers,
      @Nullable Role end,
      String part,
      String word,
      Pattern pattern,
      int letters) {
    boolean isIn(String line, String lower) {
      return lower.contains(part) && pattern.matcher(line).find();
    }
  }

  private record Group(String program, String source, List<Entry> messages) {}

  private record Entry(
      List<String> texts,
      @Nullable String rank,
      boolean numbers,
      @Nullable String end,
      String means,
      @Nullable String causes,
      @Nullable String next) {
    Stream<Sentence> in(Group group) {
      return texts.stream().map(text -> sentence(group, text));
    }

    private Sentence sentence(Group group, String text) {
      var meaning =
          new Meaning(
              Kind.MESSAGE,
              "%s, \"%s\"".formatted(group.program, text.replace("*", "...")),
              0,
              List.of(),
              means,
              Objects.requireNonNullElse(causes, ""),
              Objects.requireNonNullElse(next, ""),
              group.source,
              Weight.ranked(rank));
      List<String> parts = Arrays.asList(text.split("\\*", -1));
      String longest = parts.stream().max(Comparator.comparingInt(String::length)).orElseThrow();
      // A line is short, and a sentence has few of these.
      String pattern = parts.stream().map(Pattern::quote).collect(Collectors.joining(".{0,200}?"));
      return new Sentence(
          meaning,
          numbers,
          end == null ? null : Role.valueOf(end.toUpperCase(Locale.ROOT)),
          longest.toLowerCase(Locale.ROOT),
          word(longest),
          Pattern.compile("(?<![a-z])" + pattern, Pattern.CASE_INSENSITIVE),
          text.length());
    }
  }

  /** Not the first or the last of more than two: more letters may be beside these. */
  private static String word(String part) {
    List<String> words = new Words(part).all();
    List<String> whole = words.size() > 2 ? words.subList(1, words.size() - 1) : words;
    return whole.stream().max(Comparator.comparingInt(String::length)).orElseThrow();
  }

  /** The longest sentences first, because shorter ones are more general. */
  private static List<Sentence> read() {
    try (InputStream in = Objects.requireNonNull(Messages.class.getResourceAsStream(NAME), NAME)) {
      Group[] groups =
          new Gson().fromJson(new InputStreamReader(in, StandardCharsets.UTF_8), Group[].class);
      var all = new ArrayList<Sentence>();
      for (Group group : groups) {
        group.messages.stream().flatMap(entry -> entry.in(group)).forEach(all::add);
      }
      all.sort(Comparator.comparingInt(Sentence::letters).reversed());
      return List.copyOf(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All of them. */
  static List<Sentence> all() {
    return ALL;
  }

  /** The most specific one in a line: not one that is said of any failure, if there is another. */
  static Optional<Sentence> in(String line, Words words) {
    var possible = new LinkedHashSet<Sentence>();
    for (String word : words.all()) {
      possible.addAll(BY_WORD.getOrDefault(word, List.of()));
    }
    if (possible.isEmpty()) {
      return Optional.empty();
    }
    String lower = line.toLowerCase(Locale.ROOT);
    List<Sentence> found =
        possible.stream()
            .filter(sentence -> sentence.isIn(line, lower))
            .sorted(Comparator.comparingInt(Sentence::letters).reversed())
            .toList();
    return found.stream()
        .filter(sentence -> sentence.meaning.weight() != Weight.GENERAL)
        .findFirst()
        .or(() -> found.stream().findFirst());
  }
}
