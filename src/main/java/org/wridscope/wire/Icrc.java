// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC at the end of each packet: that of Ethernet, over all that does not change on
 * the way. What may change counts as ones, and so does a local route header, of which RoCE has none
 * (IBTA 7.8.1 and A17.3.3).
 */
final class Icrc {
  private static final byte[] ONES = {-1, -1, -1, -1, -1, -1, -1, -1};
  private static final int UDP_BYTES = 8;

  /** The longest IPv4 header. */
  private static final int MOST_IP_BYTES = 60;

  private Icrc() {}

  /**
   * Computes it, as the number that is stored in little-endian order.
   *
   * @param packet an IP header, and all that follows it up to the CRC; not changed
   * @param ipBytes length of the IP header, at most 60
   */
  static int of(ByteBuffer packet, int ipBytes) {
    if (ipBytes > MOST_IP_BYTES) {
      throw new IllegalArgumentException("an IP header of %d bytes".formatted(ipBytes));
    }
    int headBytes = ipBytes + UDP_BYTES + RocePacket.BTH_BYTES;
    int start = packet.position();
    byte[] head = new byte[headBytes];
    packet.get(start, head);
    if (head[0] >>> 4 == 4) {
      // type of service, time to live, checksum
      head[1] = -1;
      head[8] = -1;
      head[10] = -1;
      head[11] = -1;
    } else {
      // traffic class, flow label, hop limit
      head[0] |= 0x0f;
      head[1] = -1;
      head[2] = -1;
      head[3] = -1;
      head[7] = -1;
    }
    // the checksum of UDP, and the congestion bits
    head[ipBytes + 6] = -1;
    head[ipBytes + 7] = -1;
    head[ipBytes + UDP_BYTES + 4] = -1;
    var crc = new CRC32();
    crc.update(ONES);
    crc.update(head);
    crc.update(packet.slice(start + headBytes, packet.remaining() - headBytes));
    return (int) crc.getValue();
  }
}
