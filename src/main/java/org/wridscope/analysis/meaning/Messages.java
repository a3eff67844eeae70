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
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation.Weight;
import org.wridscope.analysis.meaning.Meaning.Kind;

/**
 * The sentences of programs, from {@code messages.json}: for each program those that it prints when
 * a migration or a connection fails. A {@code *} in a sentence stands for anything.
 */
final class Messages {
  private static final String NAME = "messages.json";
  private static final List<Sentence> ALL = read();

  private Messages() {}

  /**
   * A sentence.
   *
   * @param part the longest part of it without {@code *}, in lower case
   * @param numbers whether numbers and texts of errnos in the same line mean something
   */
  record Sentence(
      Meaning meaning, Weight weight, boolean numbers, String part, Pattern pattern, int letters) {
    boolean isIn(String line, String lower) {
      return lower.contains(part) && pattern.matcher(line).find();
    }
  }

  private record Group(String program, String source, List<Entry> messages) {}

  private record Entry(
      List<String> texts,
      @Nullable String rank,
      boolean numbers,
      String means,
      @Nullable String causes,
      @Nullable String next) {
    Stream<Sentence> in(Group group) {
      Weight weight =
          rank == null ? Weight.CAUSE : Weight.valueOf(rank.toUpperCase(Locale.ROOT));
      return texts.stream().map(text -> sentence(group, weight, text));
    }

    private Sentence sentence(Group group, Weight weight, String text) {
      var meaning =
          new Meaning(
              Kind.MESSAGE,
              "%s, \"%s\"".formatted(group.program, text.replace("*", "...")),
              0,
              List.of(),
              means,
              Objects.requireNonNullElse(causes, ""),
              Objects.requireNonNullElse(next, ""),
              group.source);
      List<String> parts = Arrays.asList(text.split("\\*", -1));
      String longest =
          parts.stream().max(Comparator.comparingInt(String::length)).orElseThrow();
      // A line is short, and a sentence has few of these.
      String pattern = parts.stream().map(Pattern::quote).collect(Collectors.joining(".{0,200}?"));
      return new Sentence(
          meaning,
          weight,
          numbers,
          longest.toLowerCase(Locale.ROOT),
          Pattern.compile("(?<![a-z])" + pattern, Pattern.CASE_INSENSITIVE),
          text.length());
    }
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
  static Optional<Sentence> in(String line) {
    String lower = line.toLowerCase(Locale.ROOT);
    List<Sentence> found =
        ALL.stream().filter(sentence -> sentence.isIn(line, lower)).toList();
    return found.stream()
        .filter(sentence -> sentence.weight != Weight.GENERAL)
        .findFirst()
        .or(() -> found.stream().findFirst());
  }
}
