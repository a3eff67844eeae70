// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;

/**
 * A record in the format ERF of Endace, as which {@code ibdump} writes packets of InfiniBand: a
 * head with type and length, further heads of eight bytes, and the packet.
 */
final class EndaceRecord {
  private static final int HEAD_BYTES = 16;
  private static final int EXTENSION_BYTES = 8;
  private static final int MOST_EXTENSIONS = 16;
  private static final int TYPE_AT = 8;
  private static final int WIRE_LENGTH_AT = 14;
  private static final int HAS_MORE = 0x80;

  /** Two bytes before a packet of Ethernet: where it begins in the record, and padding. */
  private static final int ETHERNET_BYTES = 2;

  private EndaceRecord() {}

  /** The type of a record, -1 if that was not captured. */
  static int type(ByteBuffer record) {
    return record.remaining() > TYPE_AT
        ? record.get(record.position() + TYPE_AT) & ~HAS_MORE & 0xff
        : -1;
  }

  /**
   * The packet in a record; the record itself if its type is none that is read.
   *
   * @throws ShortException if the record is too short for its heads
   */
  static Frame inner(Frame record) throws ShortException {
    ByteBuffer bytes = record.bytes();
    int at = bytes.position();
    ShortException.require(bytes.remaining() >= HEAD_BYTES);
    int linkType =
        switch (type(bytes)) {
          case 2, 11, 16, 20 -> LinkType.ETHERNET;
          case 21 -> LinkType.INFINIBAND;
          case 22 -> LinkType.IPV4;
          case 23 -> LinkType.IPV6;
          default -> LinkType.ERF;
        };
    if (linkType == LinkType.ERF) {
      return record;
    }
    int heads = HEAD_BYTES;
    boolean more = (bytes.get(at + TYPE_AT) & HAS_MORE) != 0;
    for (int i = 0; more && i < MOST_EXTENSIONS; i++) {
      ShortException.require(bytes.remaining() >= heads + EXTENSION_BYTES);
      more = (bytes.get(at + heads) & HAS_MORE) != 0;
      heads += EXTENSION_BYTES;
    }
    heads += linkType == LinkType.ETHERNET ? ETHERNET_BYTES : 0;
    ShortException.require(bytes.remaining() >= heads);
    int length = Short.toUnsignedInt(bytes.getShort(at + WIRE_LENGTH_AT));
    // A record is padded.
    int captured = Math.min(bytes.remaining() - heads, length);
    return new Frame(
        record.nanos(), linkType, bytes.slice(at + heads, captured), length, record.postedNanos());
  }
}
