// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.util.Map;

/**
 * How captured packets begin: the {@code LINKTYPE_} values of pcap (the registry of link types at
 * tcpdump.org) that are read, and the names of others that captures of a network have.
 */
final class LinkType {
  static final int LOOPBACK = 0;
  static final int ETHERNET = 1;
  static final int RAW_OF_BSD = 12;
  static final int RAW_OF_OPENBSD = 14;
  static final int RAW = 101;
  static final int LOOPBACK_OF_OPENBSD = 108;
  static final int COOKED = 113;
  static final int ERF = 197;
  static final int IPV4 = 228;
  static final int IPV6 = 229;
  static final int INFINIBAND = 247;
  static final int COOKED_2 = 276;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(6, "token ring"),
          Map.entry(7, "ARCNET"),
          Map.entry(9, "PPP"),
          Map.entry(10, "FDDI"),
          Map.entry(50, "PPP in HDLC framing"),
          Map.entry(51, "PPP over Ethernet"),
          Map.entry(104, "Cisco HDLC"),
          Map.entry(105, "IEEE 802.11"),
          Map.entry(107, "frame relay"),
          Map.entry(119, "IEEE 802.11 with a Prism header"),
          Map.entry(122, "IP over Fibre Channel"),
          Map.entry(127, "IEEE 802.11 with a radiotap header"),
          Map.entry(189, "USB"),
          Map.entry(192, "per-packet information (PPI)"),
          Map.entry(ERF, "Endace ERF records"),
          Map.entry(220, "USB"),
          Map.entry(224, "Fibre Channel"),
          Map.entry(225, "Fibre Channel"),
          Map.entry(227, "SocketCAN"),
          Map.entry(239, "Linux netfilter log"),
          Map.entry(242, "IP over InfiniBand"),
          Map.entry(252, "exported by Wireshark"),
          Map.entry(253, "Linux netlink"));

  private LinkType() {}

  /**
   * The name and the number of a link type that is not read.
   *
   * @param frame one of its packets
   */
  static String name(Frame frame) {
    String name = NAMES.get(frame.linkType());
    if (name == null) {
      return "link type " + frame.linkType();
    }
    String records = frame.linkType() == ERF ? " of type " + EndaceRecord.type(frame.bytes()) : "";
    return "%s%s (link type %d)".formatted(name, records, frame.linkType());
  }
}
