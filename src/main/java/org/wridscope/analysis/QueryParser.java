// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.units.Parse;

/**
 * Reads the text of a {@link Query}: {@code or} binds least, then {@code and}, which may be left
 * out, then {@code not}; parentheses group. {@code docs/window.md} describes it for users.
 */
final class QueryParser {
  private static final Pattern TOKEN =
      Pattern.compile(
          "(?<field>[A-Za-z][A-Za-z_-]*)\\s*(?<sign>!=|==?)\\s*(?<value>\"[^\"]*\"|[^\\s\"()]*)"
              + "|\"(?<phrase>[^\"]*)\""
              + "|(?<mark>[()]|&&|\\|\\||!)"
              + "|(?<word>[^\\s()]+)");

  /** So deep that nobody types it by hand; each level needs a frame of the stack. */
  private static final int DEEPEST = 50;

  private final List<ChunkTable> blocks;
  private final Deque<Token> tokens = new ArrayDeque<>();
  private int depth;
  private boolean ofEnd;

  private enum Sort {
    TERM,
    WORD,
    PHRASE,
    AND,
    OR,
    NOT,
    OPEN,
    CLOSE
  }

  /**
   * A token.
   *
   * @param text as typed, without quotation marks
   * @param condition of a term or of words in quotation marks, otherwise null
   */
  private record Token(Sort sort, String text, @Nullable Condition condition) {}

  QueryParser(List<ChunkTable> blocks) {
    this.blocks = blocks;
  }

  /** Whether the text that was read asks how requests ended. */
  boolean isOfEnd() {
    return ofEnd;
  }

  /**
   * Reads a text.
   *
   * @return null if it is blank
   * @throws IllegalArgumentException with one sentence that says what is possible
   */
  @Nullable Condition read(String text) {
    Matcher matcher = TOKEN.matcher(text);
    while (matcher.find()) {
      tokens.add(token(matcher));
    }
    if (tokens.isEmpty()) {
      return null;
    }
    Condition all = any();
    if (!tokens.isEmpty()) {
      throw new IllegalArgumentException(
          "There is no ( for this ); write parentheses in quotation marks to search for them.");
    }
    return all;
  }

  private Token token(Matcher matcher) {
    if (matcher.group("field") != null) {
      boolean same = !matcher.group("sign").equals("!=");
      String value = unquoted(matcher.group("value"));
      return new Token(Sort.TERM, matcher.group(), term(matcher.group("field"), same, value));
    }
    String phrase = matcher.group("phrase");
    if (phrase != null) {
      return new Token(Sort.PHRASE, phrase, words(phrase));
    }
    String mark = matcher.group("mark");
    String text = mark != null ? mark : matcher.group("word");
    Sort sort =
        switch (text.toLowerCase(Locale.ROOT)) {
          case "(" -> Sort.OPEN;
          case ")" -> Sort.CLOSE;
          case "and", "&&" -> Sort.AND;
          case "or", "||" -> Sort.OR;
          case "not", "!" -> Sort.NOT;
          default -> Sort.WORD;
        };
    return new Token(sort, text, null);
  }

  private static String unquoted(String value) {
    return value.startsWith("\"") ? value.substring(1, value.length() - 1) : value;
  }

  private Condition term(String name, boolean same, String value) {
    SearchField field = SearchField.of(name);
    if (field == null) {
      throw new IllegalArgumentException(
          "There is no field %s; search for %s, or for words without =."
              .formatted(Parse.quoted(name), SearchField.all()));
    }
    if (value.isEmpty()) {
      throw new IllegalArgumentException("After %s.".formatted(field.help()));
    }
    Predicate<Subject> equal = field.equalTo(value, blocks);
    ofEnd |= field.isOfEnd();
    return new Condition.Term(of -> field.isIn(of) && equal.test(of) == same, field.isOfEnd());
  }

  // ------------------------------------------------------------------------------------- grammar

  private Condition any() {
    if (++depth > DEEPEST) {
      throw new IllegalArgumentException(
          "There are more than %d parentheses within each other.".formatted(DEEPEST));
    }
    var parts = new ArrayList<Condition>(List.of(all()));
    while (next(Sort.OR)) {
      parts.add(all());
    }
    depth--;
    return parts.size() == 1 ? parts.getFirst() : new Condition.Any(List.copyOf(parts));
  }

  private Condition all() {
    var parts = new ArrayList<Condition>(List.of(one()));
    while (next(Sort.AND) || beginsOne()) {
      parts.add(one());
    }
    return parts.size() == 1 ? parts.getFirst() : new Condition.All(List.copyOf(parts));
  }

  private boolean beginsOne() {
    Token token = tokens.peek();
    return token != null
        && token.sort != Sort.AND
        && token.sort != Sort.OR
        && token.sort != Sort.CLOSE;
  }

  private Condition one() {
    boolean not = false;
    while (next(Sort.NOT)) {
      not = !not;
    }
    Condition one = simple();
    return not ? new Condition.Not(one) : one;
  }

  private Condition simple() {
    if (!beginsOne()) {
      throw new IllegalArgumentException(
          "Something to search for is missing %s; write and, or, not in quotation marks to search"
                  .formatted(tokens.isEmpty() ? "at the end" : "before " + tokens.element().text)
              + " for these words.");
    }
    Token token = tokens.remove();
    if (token.sort == Sort.OPEN) {
      Condition inner = any();
      if (!next(Sort.CLOSE)) {
        throw new IllegalArgumentException("A ) is missing at the end.");
      }
      return inner;
    }
    return token.condition != null ? token.condition : word(token.text);
  }

  private boolean next(Sort sort) {
    Token token = tokens.peek();
    if (token == null || token.sort != sort) {
      return false;
    }
    tokens.remove();
    return true;
  }

  // --------------------------------------------------------------------------------------- words

  /** A word; {@code chunk 17} is {@code chunk=17}. */
  private Condition word(String word) {
    SearchField field = SearchField.of(word);
    Token following = tokens.peek();
    if (field != null
        && field.isNumber()
        && following != null
        && following.sort == Sort.WORD
        && SearchField.isNumber(following.text)) {
      tokens.remove();
      return term(word, true, following.text);
    }
    return words(word);
  }

  private static Condition words(String words) {
    return new Condition.Term(new Words(words), false);
  }
}
