// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC at the end of each packet: that of Ethernet, over all that does not change on
 * the way. What may change counts as ones (IBTA 7.8.1), and so does a local route header, of which
 * RoCE has none (IBTA A16.5.1 and A17.3.3).
 */
final class Icrc {
  private static final byte[] ONES = {-1, -1, -1, -1, -1, -1, -1, -1};

  /** The longest IPv4 header. */
  static final int MOST_IP_BYTES = 60;

  private Icrc() {}

  /**
   * Computes it, as the number that is stored in little-endian order.
   *
   * @param packet from the first of the headers that it covers up to the CRC; not changed
   * @param local bytes of a local route header: 8, or 0 without one
   * @param network bytes of an IP header or a global route header, at most 60; 0 without one
   * @param udp bytes of a UDP header: 8, or 0 without one
   */
  static int of(ByteBuffer packet, int local, int network, int udp) {
    if (network > MOST_IP_BYTES) {
      throw new IllegalArgumentException("an IP header of %d bytes".formatted(network));
    }
    int transport = local + network + udp;
    int headBytes = transport + RocePacket.BTH_BYTES;
    int start = packet.position();
    byte[] head = new byte[headBytes];
    packet.get(start, head);
    if (local > 0) {
      // the virtual lane
      head[0] |= (byte) 0xf0;
    }
    if (network > 0 && head[local] >>> 4 == 4) {
      // type of service, time to live, checksum
      head[local + 1] = -1;
      head[local + 8] = -1;
      head[local + 10] = -1;
      head[local + 11] = -1;
    } else if (network > 0) {
      // traffic class, flow label, hop limit
      head[local] |= 0x0f;
      head[local + 1] = -1;
      head[local + 2] = -1;
      head[local + 3] = -1;
      head[local + 7] = -1;
    }
    if (udp > 0) {
      // the checksum
      head[local + network + 6] = -1;
      head[local + network + 7] = -1;
    }
    // the congestion bits
    head[transport + 4] = -1;
    var crc = new CRC32();
    if (local == 0) {
      crc.update(ONES);
    }
    crc.update(head);
    crc.update(packet.slice(start + headBytes, packet.remaining() - headBytes));
    return (int) crc.getValue();
  }
}
