// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Meaning.Kind;
import org.wridscope.protocol.WorkRequestId;

/** Parses what a user wants to be explained. */
final class MeaningQuery {
  /** Longer queries are cut: the longest line of perftest is shorter. */
  private static final int LONGEST = 400;

  /** Fewer letters are part of too many names. */
  private static final int FEWEST_LETTERS = 4;

  private static final String NUMBER = "-?(?:0x[0-9a-f]{1,16}|[0-9]{1,20})";
  private static final Pattern ONLY_NUMBER = Pattern.compile(NUMBER);
  private static final Map<String, Set<Kind>> KINDS = kinds();
  private static final Pattern KIND_AND_NUMBER =
      Pattern.compile("(?:failed )?(" + words() + ")[ :=#,(]*(" + NUMBER + ")\\)?");
  private static final Pattern KIND_AND_NAME = Pattern.compile("(" + words() + ")[ :=#,]+(.+)");

  // As QEMU's traces and Wridscope print a wrid.
  private static final Pattern TRACED_WRID =
      Pattern.compile("(?:write rdma|control send|control recv) ?\\(([0-9]{1,19})\\)");
  private static final Pattern WRITE =
      Pattern.compile("(?:write rdma|rdma write|write) block ([0-9]{1,5}) chunk ([0-9]{1,11})");
  private static final Pattern RECEIVE = Pattern.compile("control recv(?: ([0-9]{1,4}))?");

  private static final String SEVERAL =
      "It may be any of these: the program and the line in which it was printed decide.";

  private MeaningQuery() {}

  static Explanation find(String query) {
    List<Meaning> asked = asked(query);
    if (!asked.isEmpty()) {
      boolean several = asked.stream().map(Meaning::kind).distinct().count() > 1;
      return new Explanation(
          asked, several ? List.of(SEVERAL) : List.of(), Explanation.Weight.CAUSE);
    }
    Explanation line = LineReader.read(query);
    return line.isEmpty()
        ? new Explanation(containing(key(cut(query))), List.of(), Explanation.Weight.CAUSE)
        : line;
  }

  private static String cut(String query) {
    return query.substring(0, Math.min(query.length(), LONGEST));
  }

  /** What a query means that has only a number, a name, or a kind of value and one of these. */
  private static List<Meaning> asked(String query) {
    String text =
        cut(query).toLowerCase(Locale.ROOT).replace('_', ' ').replaceAll("[\\s\"']+", " ").strip();
    if (ONLY_NUMBER.matcher(text).matches()) {
      return numbered(text, EnumSet.allOf(Kind.class)).toList();
    }
    Long wrid = wrid(text);
    if (wrid != null) {
      return Meanings.ofWrid(wrid).stream().toList();
    }
    List<Meaning> found = named(text, Meanings.all());
    Matcher pair = KIND_AND_NUMBER.matcher(text);
    if (found.isEmpty() && pair.matches()) {
      found = numbered(pair.group(2), KINDS.getOrDefault(pair.group(1), Set.of())).toList();
    }
    Matcher name = KIND_AND_NAME.matcher(text);
    if (found.isEmpty() && name.matches()) {
      found = named(name.group(2), of(KINDS.getOrDefault(name.group(1), Set.of())));
    }
    return found;
  }

  // ------------------------------------------------------------------------------------- numbers

  private static Map<String, Set<Kind>> kinds() {
    var kinds = new LinkedHashMap<String, Set<Kind>>();
    put(
        kinds,
        EnumSet.of(Kind.COMPLETION_STATUS),
        "status",
        "wc status",
        "completion status",
        "wc");
    put(kinds, EnumSet.of(Kind.ASYNC_EVENT), "async event", "asynchronous event", "async");
    put(kinds, EnumSet.of(Kind.CM_EVENT), "cm event", "cm", "connection manager event");
    put(kinds, EnumSet.of(Kind.ASYNC_EVENT, Kind.CM_EVENT), "event");
    put(kinds, EnumSet.of(Kind.REJECT_REASON), "reject reason", "reject", "rejected", "reason");
    put(kinds, EnumSet.of(Kind.ERRNO), "errno");
    put(kinds, EnumSet.of(Kind.ERRNO, Kind.COMPLETION_STATUS), "error");
    put(kinds, EnumSet.of(Kind.WRID), "wrid", "wr id", "work request id");
    put(
        kinds,
        EnumSet.of(Kind.ACKNOWLEDGEMENT),
        "acknowledgement syndrome",
        "ack syndrome",
        "aeth syndrome",
        "aeth",
        "nak");
    put(
        kinds,
        EnumSet.of(Kind.VENDOR_ERROR),
        "vendor error",
        "vendor err",
        "vendor",
        "vend",
        "syndrome",
        "syndrom",
        "synd");
    return kinds;
  }

  private static void put(Map<String, Set<Kind>> kinds, Set<Kind> of, String... words) {
    for (String word : words) {
      kinds.put(word, of);
    }
  }

  /** The longest words first, because a pattern takes the first that matches. */
  private static String words() {
    return KINDS.keySet().stream()
        .sorted(Comparator.comparingInt(String::length).reversed())
        .collect(Collectors.joining("|"));
  }

  private static Stream<Meaning> numbered(String number, Set<Kind> kinds) {
    boolean negative = number.startsWith("-");
    Long value = parsed(negative ? number.substring(1) : number);
    if (value == null) {
      return Stream.empty();
    }
    // Calls of the kernel return errnos as negative numbers.
    return kinds.stream()
        .filter(kind -> !negative || kind == Kind.ERRNO)
        .flatMap(kind -> Meanings.numbered(kind, value));
  }

  private static @Nullable Long parsed(String number) {
    try {
      return number.startsWith("0x")
          ? Long.parseUnsignedLong(number.substring(2), 16)
          : Long.parseUnsignedLong(number);
    } catch (NumberFormatException e) {
      // More than 64 bits.
      return null;
    }
  }

  private static @Nullable Long wrid(String text) {
    Matcher traced = TRACED_WRID.matcher(text);
    if (traced.matches()) {
      return parsed(traced.group(1));
    }
    if (text.equals("control send")) {
      return Long.valueOf(WorkRequestId.CONTROL_SEND);
    }
    Matcher receive = RECEIVE.matcher(text);
    if (receive.matches()) {
      String buffer = receive.group(1);
      return WorkRequestId.CONTROL_RECEIVE + (buffer == null ? 0 : Long.parseLong(buffer));
    }
    Matcher write = WRITE.matcher(text);
    if (write.matches()) {
      int block = Integer.parseInt(write.group(1));
      long chunk = Long.parseLong(write.group(2));
      return block <= WorkRequestId.MAX_BLOCK && chunk <= WorkRequestId.MAX_CHUNK
          ? WorkRequestId.of(WorkRequestId.RDMA_WRITE, block, chunk)
          : null;
    }
    return null;
  }

  // --------------------------------------------------------------------------------------- names

  private static List<Meaning> of(Set<Kind> kinds) {
    return Meanings.all().stream().filter(meaning -> kinds.contains(meaning.kind())).toList();
  }

  private static List<Meaning> named(String text, List<Meaning> among) {
    String key = key(text);
    return key.isEmpty() ? List.of() : matching(among, key::equals);
  }

  private static List<Meaning> containing(String key) {
    return key.length() < FEWEST_LETTERS
        ? List.of()
        : matching(Meanings.all(), each -> each.contains(key));
  }

  private static List<Meaning> matching(List<Meaning> among, Predicate<String> key) {
    return among.stream().filter(meaning -> keys(meaning).stream().anyMatch(key)).toList();
  }

  /** Its name, its name without prefix, and its phrases. */
  private static List<String> keys(Meaning meaning) {
    var keys = new ArrayList<String>();
    keys.add(key(meaning.name()));
    keys.add(key(meaning.name().replaceFirst(Terms.PREFIXES, "")));
    meaning.phrases().forEach(phrase -> keys.add(key(phrase)));
    return keys;
  }

  /** Letters and digits only, so that spaces, dashes and underscores do not matter. */
  private static String key(String text) {
    return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }
}
