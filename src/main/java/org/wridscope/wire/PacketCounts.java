// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.wridscope.text.Format;

/**
 * How many packets a capture has, what they are, and how many of them are not shown or not whole.
 */
final class PacketCounts {
  /** More kinds of packets are counted together. */
  private static final int MOST_KINDS = 12;

  long packets;
  long roce;

  /** Packets of RoCE or InfiniBand of which only the beginning was captured. */
  long cut;

  /** Packets of which too little was captured to see whether they are such, or what they are. */
  long headless;

  long malformed;
  long fragments;
  long wrongCrc;
  long congested;

  /** Packets of connections that tell their receiver of congestion on its way. */
  long backward;

  /** Such packets with an invariant CRC of 0. */
  long withoutCrc;

  /** Packets of link types that are not read. */
  long ofOtherLinks;

  /** Packets by the name of what is not read: a link type, a transport. */
  private final Map<String, Long> unread = new LinkedHashMap<>();

  /** Packets by what they are, in words that follow their number. */
  private final Map<String, Long> kinds = new LinkedHashMap<>();

  /** Counts a packet of a kind that is not read, such as of another link type. */
  void unread(String name) {
    add(unread, name);
    kind("of " + name);
  }

  /** Counts a packet by what it is, such as {@code of TCP}. */
  void kind(String words) {
    add(kinds, words);
  }

  private static void add(Map<String, Long> counts, String name) {
    String as = counts.containsKey(name) || counts.size() < MOST_KINDS ? name : "of other kinds";
    counts.merge(as, 1L, Long::sum);
  }

  /** All packets by what they are, the most frequent first, a phrase. */
  String all() {
    String list =
        kinds.entrySet().stream()
            .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .map(each -> "%s %s".formatted(Format.count(each.getValue()), each.getKey()))
            .collect(Collectors.joining(", "));
    return packets == 0
        ? "no packets"
        : Format.counted(packets, "packet") + (list.isEmpty() ? "" : ": " + list);
  }

  /** Whether nothing is known of what the packets carry. */
  boolean areOfOtherLinks() {
    return packets > 0 && ofOtherLinks == packets;
  }

  /** A sentence for each count that the user of the capture should know. */
  List<String> sentences() {
    var all = new ArrayList<String>();
    add(all, cut, "%s captured only in part (the capture's snap length); contents may be missing.");
    add(all, headless, "%s captured too short for their headers, and left out.");
    add(all, malformed, "%s with headers that contradict their lengths, and left out.");
    add(all, fragments, "%s of IP, as no RoCEv2 device sends them, left out.", "fragment");
    add(all, wrongCrc, "%s with a wrong invariant CRC, which a device drops; they are shown.");
    add(
        all,
        withoutCrc,
        "%s with an invariant CRC of 0, as they are before the adapter computes it.");
    add(all, congested, "%s marked by a switch as having met congestion.");
    add(all, backward, "%s that told the receiver that its own packets meet congestion (BECN).");
    unread.forEach((name, count) -> add(all, count, "%s of " + name + ", which are not read."));
    return List.copyOf(all);
  }

  private static void add(List<String> all, long count, String sentence) {
    add(all, count, sentence, "packet");
  }

  private static void add(List<String> all, long count, String sentence, String of) {
    if (count > 0) {
      all.add(sentence.formatted(Format.counted(count, of)));
    }
  }
}
