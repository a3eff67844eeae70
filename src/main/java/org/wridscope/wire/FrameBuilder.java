// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Builds RoCEv2 packets: Ethernet, IPv4, UDP, the transport's headers, payload, invariant CRC. */
final class FrameBuilder {
  /** Bytes before the base transport header: Ethernet, IPv4 and UDP. */
  private static final int BEFORE = 14 + 20 + 8;

  private static final int IP_BYTES = 20;
  private static final int UDP_BYTES = 8;
  private static final int IP_AT = 14;

  /** 192.0.2.0, for documentation (RFC 5737): the ends of a lab have no addresses of their own. */
  private static final int NETWORK = 0xc0000200;

  /** A locally administered address. */
  private static final long ETHERNET = 0x0200_0000_0000L;

  private static final int TYPE_IPV4 = 0x0800;
  private static final int DO_NOT_FRAGMENT = 0x4000;
  private static final int UDP_64_HOPS = 0x4011;

  /** The lowest of the source ports that are recommended, 2^14 of them (IBTA A17.9.2). */
  private static final int FIRST_PORT = 0xc000;

  private static final int PORTS = 0x3fff;

  /** The default partition. */
  private static final short PARTITION = (short) 0xffff;

  private static final int REQUESTS_ACKNOWLEDGEMENT = 1 << 31;

  private FrameBuilder() {}

  /**
   * A packet.
   *
   * @param bytes as far as it is kept
   * @param length on the wire
   */
  record Built(ByteBuffer bytes, int length) {}

  /** The address of a host, from 1: 192.0.2.1 and so on. */
  static int address(int host) {
    return NETWORK + host;
  }

  /** The name of a host, from 1. */
  static Host host(int number) {
    return Host.of(ByteBuffer.allocate(Integer.BYTES).putInt(address(number)).array());
  }

  /**
   * Builds a packet.
   *
   * @param from a host, from 1
   * @param opcode of the base transport header
   * @param ackRequested whether the requester asks for an acknowledgement
   * @param queuePair to which it goes
   * @param sender the queue pair from which it comes
   * @param extended the headers after the base transport header
   * @param payloadLength bytes on the wire
   * @param payload from its position; null when its content is not kept
   */
  static Built build(
      int from,
      int to,
      int opcode,
      boolean ackRequested,
      int queuePair,
      int psn,
      int sender,
      byte[] extended,
      int payloadLength,
      byte @Nullable [] payload,
      int at) {
    int pad = -payloadLength & 3;
    int transport = RocePacket.BTH_BYTES + extended.length;
    int length = BEFORE + transport + payloadLength + pad + RocePacket.ICRC_BYTES;
    int kept = payload == null ? BEFORE + transport : length;
    ByteBuffer frame = ByteBuffer.allocate(kept);
    ethernet(frame, to);
    ethernet(frame, from);
    frame.putShort((short) TYPE_IPV4);
    frame.putShort((short) 0x4500).putShort((short) (length - IP_AT));
    frame.putShort((short) 0).putShort((short) DO_NOT_FRAGMENT).putInt(UDP_64_HOPS << 16);
    frame.putInt(address(from)).putInt(address(to));
    frame.putShort(IP_AT + 10, checksum(frame));
    frame.putShort((short) (FIRST_PORT | (sender & PORTS))).putShort((short) RocePacket.PORT);
    // Without a checksum, as most adapters send it.
    frame.putShort((short) (length - IP_AT - IP_BYTES)).putShort((short) 0);
    frame.put((byte) opcode).put((byte) (pad << 4)).putShort(PARTITION).putInt(queuePair);
    frame.putInt((psn & Psn.MASK) | (ackRequested ? REQUESTS_ACKNOWLEDGEMENT : 0));
    frame.put(extended);
    if (payload != null) {
      frame.put(payload, at, payloadLength).position(frame.position() + pad);
      int crc = Icrc.of(frame.slice(IP_AT, frame.position() - IP_AT), 0, IP_BYTES, UDP_BYTES);
      frame.order(ByteOrder.LITTLE_ENDIAN).putInt(crc);
    }
    return new Built(frame.flip(), length);
  }

  private static void ethernet(ByteBuffer frame, int host) {
    frame.putShort((short) (ETHERNET >>> 32)).putInt(host);
  }

  private static short checksum(ByteBuffer frame) {
    int sum = 0;
    for (int i = 0; i < IP_BYTES; i += 2) {
      sum += Short.toUnsignedInt(frame.getShort(IP_AT + i));
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    return (short) ~((sum & 0xffff) + (sum >>> 16));
  }
}
