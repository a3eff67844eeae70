// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.text.Format;

/** How many packets a capture has, and how many of them are not shown or not whole. */
final class PacketCounts {
  long packets;
  long roce;

  /** RoCEv2 packets of which only the beginning was captured. */
  long cut;

  /** Packets of which too little was captured to see whether they are RoCEv2, or what they are. */
  long headless;

  long malformed;
  long fragments;
  long wrongCrc;
  long congested;
  long unknownLinks;
  long otherTransports;

  /** A sentence for each count that the user of the capture should know. */
  List<String> sentences() {
    var all = new ArrayList<String>();
    add(all, cut, "%s captured only in part (the capture's snap length); contents may be missing.");
    add(all, headless, "%s captured too short for their headers, and left out.");
    add(all, malformed, "%s with headers that contradict their lengths, and left out.");
    add(all, fragments, "%s of IP, as no RoCEv2 device sends them, left out.", "fragment");
    add(all, wrongCrc, "%s with a wrong invariant CRC, which a device drops; they are shown.");
    add(all, congested, "%s marked by a switch as having met congestion.");
    add(all, unknownLinks, "%s of link types that are not known, left out.");
    add(all, otherTransports, "%s of other transports than reliable connections, left out.");
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
