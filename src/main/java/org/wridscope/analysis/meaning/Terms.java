// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Meaning.Kind;

/** Names and phrases of meanings, found inside a line, the longest first, in any case. */
final class Terms {
  private static final String ANY_WORD = "*";

  /** The prefixes without which a name is written, too. */
  static final String PREFIXES = "^(IBV_WC|IBV_EVENT|RDMA_CM_EVENT|IB_CM_REJ|AETH)_";

  private final Node root = new Node();

  /** What begins with the words on the way to this node. */
  private static final class Node {
    final Map<String, Node> next = new HashMap<>();
    final List<Entry> entries = new ArrayList<>();
  }

  /**
   * One that ends here.
   *
   * @param weak whether it means this only in a line that speaks of this kind of value
   */
  private record Entry(Meaning meaning, boolean weak) {}

  /**
   * One that was found.
   *
   * @param weak whether it means this only in a line that speaks of this kind of value
   * @param start index in the text of its first character
   * @param end index behind its last character
   */
  record Found(Meaning meaning, boolean weak, int start, int end) {}

  Terms(List<Meaning> meanings) {
    for (Meaning meaning : meanings) {
      if (meaning.kind() == Kind.VENDOR_ERROR || meaning.kind() == Kind.FIRMWARE_STATUS) {
        continue;
      }
      boolean code = meaning.kind() == Kind.ERRNO;
      add(meaning.name(), meaning, false);
      String bare = meaning.name().replaceFirst(PREFIXES, "");
      if (!bare.equals(meaning.name())) {
        add(bare, meaning, isWeak(meaning, bare));
      }
      meaning.phrases().forEach(phrase -> add(phrase, meaning, !code && isWeak(meaning, phrase)));
    }
  }

  /** Single words, and those of success, are said of many things. */
  private static boolean isWeak(Meaning meaning, String phrase) {
    return switch (meaning.kind()) {
      case COMPLETION_STATUS -> new Words(phrase).size() == 1 || isGeneral(meaning, phrase);
      case ASYNC_EVENT -> new Words(phrase).size() <= 2;
      case CM_EVENT, REJECT_REASON -> true;
      default -> new Words(phrase).size() == 1;
    };
  }

  private static boolean isGeneral(Meaning meaning, String phrase) {
    return phrase.equals("fatal error")
        || phrase.equals("general error")
        || phrase.equals("invalid request error")
        || phrase.equals("operation aborted")
        || phrase.equals("bad response")
        || phrase.equals("remote aborted")
        || phrase.equals("invalid request on")
        || phrase.equals("remote access on")
        || phrase.equals("local access on")
        || meaning.value() == 0;
  }

  private void add(String phrase, Meaning meaning, boolean weak) {
    Node node = root;
    for (String word : new Words(phrase.replace(ANY_WORD, "0any")).all()) {
      node = node.next.computeIfAbsent(word.equals("0any") ? ANY_WORD : word, _ -> new Node());
    }
    if (node != root && node.entries.stream().noneMatch(entry -> entry.meaning.equals(meaning))) {
      node.entries.add(new Entry(meaning, weak));
    }
  }

  /** Those in a text, in its order; of those that overlap, the longest of the first. */
  List<Found> in(Words words) {
    var found = new ArrayList<Found>();
    int at = 0;
    while (at < words.size()) {
      int end = longest(words, at, found);
      at = end > at ? end : at + 1;
    }
    return found;
  }

  /** Adds the longest that begin at a word; returns the index behind its last word, or 0. */
  private int longest(Words words, int from, List<Found> found) {
    Node node = root;
    @Nullable Node last = null;
    int behind = 0;
    for (int at = from; at < words.size() && (at == from || words.joins(at)); at++) {
      Node next = node.next.get(words.get(at));
      next = next == null ? node.next.get(ANY_WORD) : next;
      if (next == null) {
        break;
      }
      node = next;
      if (!node.entries.isEmpty()) {
        last = node;
        behind = at + 1;
      }
    }
    if (last != null) {
      for (Entry entry : last.entries) {
        found.add(new Found(entry.meaning, entry.weak, words.start(from), words.end(behind - 1)));
      }
    }
    return behind;
  }
}
