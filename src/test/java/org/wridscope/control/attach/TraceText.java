// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.wridscope.control.attach.TraceLine.Kind;

/** Lines as tests write them: a letter, then hexadecimal numbers. */
final class TraceText {
  private static final Map<String, Kind> KINDS =
      Map.ofEntries(
          Map.entry("q", Kind.QUEUE_PAIR),
          Map.entry("p", Kind.POST),
          Map.entry("r", Kind.RECEIVE),
          Map.entry("s", Kind.SHARED_RECEIVE),
          Map.entry("c", Kind.COMPLETION),
          Map.entry("x", Kind.EXTENDED),
          Map.entry("g", Kind.DATA),
          Map.entry("w", Kind.COMPLETE),
          Map.entry("a", Kind.ABORT),
          Map.entry("o", Kind.MORE),
          Map.entry("d", Kind.PEER),
          Map.entry("m", Kind.MODIFY),
          Map.entry("R", Kind.REGISTER),
          Map.entry("D", Kind.DEREGISTER),
          Map.entry("N", Kind.REGISTER_REFUSED),
          Map.entry("C", Kind.CLOSE));

  private TraceText() {}

  static TraceLine parse(String line) {
    List<String> words = Arrays.asList(line.split(" "));
    long[] numbers =
        words.stream().skip(1).mapToLong(word -> Long.parseUnsignedLong(word, 16)).toArray();
    Kind kind = KINDS.get(words.getFirst());
    if (kind == null) {
      throw new IllegalArgumentException(line);
    }
    return TraceLine.of(kind, numbers);
  }
}
