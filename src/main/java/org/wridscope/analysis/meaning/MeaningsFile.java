// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Explanation.Weight;

/**
 * The meanings of {@code meanings.json}, in groups of one kind. A group has the source of its
 * meanings, or each has its own; what is not there is empty.
 */
final class MeaningsFile {
  private static final String NAME = "meanings.json";

  private MeaningsFile() {}

  private record Group(Meaning.Kind kind, @Nullable String source, List<Entry> meanings) {
    Stream<Meaning> all() {
      return meanings.stream().map(entry -> entry.in(this));
    }
  }

  private record Entry(
      long value,
      String name,
      @Nullable List<String> phrases,
      String means,
      @Nullable String causes,
      @Nullable String next,
      @Nullable String source,
      @Nullable String rank) {
    Meaning in(Group group) {
      return new Meaning(
          group.kind,
          name,
          value,
          phrases == null ? List.of() : phrases,
          means,
          Objects.requireNonNullElse(causes, ""),
          Objects.requireNonNullElse(next, ""),
          source == null ? Objects.requireNonNull(group.source, name) : source,
          Weight.ranked(rank));
    }
  }

  /** All of them, in the order of the file. */
  static List<Meaning> read() {
    try (InputStream in =
        Objects.requireNonNull(MeaningsFile.class.getResourceAsStream(NAME), NAME)) {
      Group[] groups =
          new Gson().fromJson(new InputStreamReader(in, StandardCharsets.UTF_8), Group[].class);
      return Stream.of(groups).flatMap(Group::all).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
