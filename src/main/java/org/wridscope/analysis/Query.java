// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Event;
import org.wridscope.units.Parse;

/**
 * What a user searches for, in events and in work requests: terms such as {@code chunk=12}, {@code
 * status!=success} or {@code opcode=send}, all of which must be true, and words that the text must
 * contain. Something that does not have a field is neither equal to a value nor different from it.
 */
public final class Query {
  private static final Pattern TERM =
      Pattern.compile(
          "([A-Za-z][A-Za-z_-]*)\\s*(!?=)\\s*(\"[^\"]*\"|[^\\s\"]*)|\"([^\"]*)\"|(\\S+)");

  private final List<Predicate<Subject>> terms;
  private final boolean ofEnd;

  private Query(List<Predicate<Subject>> terms, boolean ofEnd) {
    this.terms = List.copyOf(terms);
    this.ofEnd = ofEnd;
  }

  /**
   * Reads a query.
   *
   * @param blocks the RAM blocks that can be named; empty while they are not known
   * @return null if the text is blank
   * @throws IllegalArgumentException with one sentence that says what is possible
   */
  public static @Nullable Query parse(String text, List<ChunkTable> blocks) {
    var terms = new ArrayList<Predicate<Subject>>();
    boolean ofEnd = false;
    Matcher matcher = TERM.matcher(text);
    while (matcher.find()) {
      String name = matcher.group(1);
      if (name != null) {
        SearchField field = field(name);
        String value = unquoted(matcher.group(3));
        if (value.isEmpty()) {
          throw new IllegalArgumentException("After %s.".formatted(field.help()));
        }
        Predicate<Subject> equal = field.equalTo(value, blocks);
        boolean same = matcher.group(2).equals("=");
        terms.add(of -> field.isIn(of) && equal.test(of) == same);
        ofEnd |= field == SearchField.STATUS;
      } else {
        String word = matcher.group(4) != null ? matcher.group(4) : matcher.group(5);
        String lower = word.toLowerCase(Locale.ROOT);
        terms.add(of -> of.text().get().toLowerCase(Locale.ROOT).contains(lower));
      }
    }
    return terms.isEmpty() ? null : new Query(terms, ofEnd);
  }

  private static SearchField field(String name) {
    SearchField field = SearchField.of(name);
    if (field == null) {
      throw new IllegalArgumentException(
          "There is no field %s; search for %s, or for words without =."
              .formatted(Parse.quoted(name), SearchField.all()));
    }
    return field;
  }

  private static String unquoted(String value) {
    return value.startsWith("\"") ? value.substring(1, value.length() - 1) : value;
  }

  /** What concerns a chunk. */
  public static Query ofChunk(int block, long chunk) {
    return new Query(
        List.of(
            of -> of.block() == block && chunk >= of.chunk() && chunk < of.chunk() + of.chunks()),
        false);
  }

  /** Whether only requests that have ended can match. */
  boolean isOfEnd() {
    return ofEnd;
  }

  /**
   * Whether an event matches.
   *
   * @param requests those of its session, which have read this event
   */
  public boolean has(Event event, Requests requests) {
    return has(Subject.of(event, requests));
  }

  /** Whether a work request that is kept matches, as far as is known of it. */
  boolean has(Requests requests, QueueType queue, long id) {
    return has(Subject.of(requests, queue, id));
  }

  private boolean has(Subject of) {
    return terms.stream().allMatch(term -> term.test(of));
  }
}
