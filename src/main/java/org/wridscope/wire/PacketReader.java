// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the RoCEv2 packets among captured ones, below Ethernet, Linux cooked and raw link types,
 * and counts what it does not pass on.
 */
final class PacketReader {
  private static final int TYPE_IPV4 = 0x0800;
  private static final int TYPE_IPV6 = 0x86dd;
  private static final int TYPE_ROCE_V1 = 0x8915;

  /** Smaller ones are lengths (IEEE 802.3). */
  private static final int FIRST_TYPE = 0x600;

  private static final int MOST_TAGS = 4;
  private static final int MOST_EXTENSIONS = 8;
  private static final int UDP = 17;
  private static final int UDP_BYTES = 8;

  /** An address and a key, with which the headers of requests for remote memory begin. */
  private static final int TARGET_BYTES = 12;

  private static final int VXLAN = 4789;
  private static final int IPV6_BYTES = 40;
  private static final int MOST_ADDRESSES = 1 << 12;

  private final Map<ByteBuffer, InetAddress> addresses = new HashMap<>();
  private final PacketCounts counts = new PacketCounts();

  /** What a header says does not fit what follows it, or less was captured. */
  private static final class ShortException extends Exception {
    private static final long serialVersionUID = 1L;

    ShortException() {
      super("short", null, false, false);
    }
  }

  PacketCounts counts() {
    return counts;
  }

  /** The RoCEv2 packet in a captured one; null when it is none, or cannot be read. */
  @Nullable RocePacket read(Frame frame) {
    counts.packets++;
    boolean cut = frame.bytes().remaining() < frame.length();
    try {
      RocePacket packet = read(frame, frame.bytes().duplicate());
      if (packet != null) {
        counts.roce++;
        counts.cut += cut ? 1 : 0;
      }
      return packet;
    } catch (ShortException e) {
      if (cut) {
        counts.headless++;
      } else {
        counts.malformed++;
      }
      return null;
    }
  }

  private static void require(boolean valid) throws ShortException {
    if (!valid) {
      throw new ShortException();
    }
  }

  private static void skip(ByteBuffer bytes, int count) throws ShortException {
    require(bytes.remaining() >= count);
    bytes.position(bytes.position() + count);
  }

  private @Nullable RocePacket read(Frame frame, ByteBuffer bytes) throws ShortException {
    boolean ip =
        switch (frame.linkType()) {
          case LinkType.ETHERNET -> {
            skip(bytes, 12);
            yield isIp(bytes);
          }
          case LinkType.COOKED -> {
            skip(bytes, 14);
            yield isIp(bytes);
          }
          case LinkType.COOKED_2 -> {
            require(bytes.remaining() >= 20);
            int type = Short.toUnsignedInt(bytes.getShort(bytes.position()));
            skip(bytes, 20);
            yield isIp(type);
          }
          case LinkType.LOOPBACK, LinkType.LOOPBACK_OF_OPENBSD -> {
            skip(bytes, 4);
            yield true;
          }
          case LinkType.RAW,
              LinkType.RAW_OF_BSD,
              LinkType.RAW_OF_OPENBSD,
              LinkType.IPV4,
              LinkType.IPV6 ->
              true;
          default -> {
            counts.unread(LinkType.name(frame));
            counts.ofOtherLinks++;
            yield false;
          }
        };
    if (!ip) {
      return null;
    }
    long uncaptured = frame.length() - frame.bytes().remaining();
    require(bytes.remaining() >= 1);
    return switch (bytes.get(bytes.position()) >>> 4 & 0xf) {
      case 4 -> ofIpv4(frame, bytes, uncaptured);
      case 6 -> ofIpv6(frame, bytes, uncaptured);
      default -> {
        counts.kind("of neither IPv4 nor IPv6");
        yield null;
      }
    };
  }

  /** Reads the type and tags of VLANs before it. */
  private boolean isIp(ByteBuffer bytes) throws ShortException {
    for (int tags = 0; tags <= MOST_TAGS; tags++) {
      require(bytes.remaining() >= 2);
      int type = Short.toUnsignedInt(bytes.getShort());
      if (type != 0x8100 && type != 0x88a8 && type != 0x9100) {
        return isIp(type);
      }
      skip(bytes, 2);
    }
    counts.kind("of VLANs within VLANs");
    return false;
  }

  /** Whether an Ethernet type is one of IP; counts another one. */
  private boolean isIp(int type) {
    switch (type) {
      case TYPE_IPV4, TYPE_IPV6 -> {
        return true;
      }
      case TYPE_ROCE_V1 -> counts.unread("RoCEv1 (Ethernet type 0x8915)");
      case 0x0806 -> counts.kind("of ARP");
      case 0x8808 -> counts.kind("of Ethernet flow control (pause frames)");
      case 0x88cc -> counts.kind("of LLDP");
      case 0x8906, 0x8914 -> counts.kind("of Fibre Channel over Ethernet");
      default ->
          counts.kind(
              type < FIRST_TYPE
                  ? "of IEEE 802.2, such as a spanning tree's"
                  : "of Ethernet type 0x%04x".formatted(type));
    }
    return false;
  }

  /** Counts a packet of IP that is not UDP. */
  private void other(int protocol) {
    counts.kind(
        switch (protocol) {
          case 1, 58 -> "of ICMP";
          case 2 -> "of IGMP";
          case 6 -> "of TCP (so is iWARP, which is not read)";
          case 47 -> "of GRE";
          case 50 -> "of IPsec";
          case 132 -> "of SCTP";
          default -> "of IP protocol " + protocol;
        });
  }

  private @Nullable RocePacket ofIpv4(Frame frame, ByteBuffer ip, long uncaptured)
      throws ShortException {
    int at = ip.position();
    require(ip.remaining() >= 20);
    int headBytes = (ip.get(at) & 0xf) * 4;
    int length = Short.toUnsignedInt(ip.getShort(at + 2));
    int fragment = ip.getShort(at + 6) & 0x3fff;
    if (ip.get(at + 9) != UDP) {
      other(ip.get(at + 9) & 0xff);
      return null;
    }
    require(headBytes >= 20 && length >= headBytes);
    if (fragment != 0) {
      counts.fragments++;
      return null;
    }
    require(length <= ip.remaining() + uncaptured);
    return ofUdp(
        frame,
        ip,
        headBytes,
        length,
        address(ip.slice(at + 12, 4)),
        address(ip.slice(at + 16, 4)),
        ip.get(at + 1) & 3);
  }

  private @Nullable RocePacket ofIpv6(Frame frame, ByteBuffer ip, long uncaptured)
      throws ShortException {
    int at = ip.position();
    require(ip.remaining() >= IPV6_BYTES);
    int length = IPV6_BYTES + Short.toUnsignedInt(ip.getShort(at + 4));
    int next = ip.get(at + 6) & 0xff;
    int headBytes = IPV6_BYTES;
    for (int i = 0; i < MOST_EXTENSIONS && (next == 0 || next == 43 || next == 60); i++) {
      require(ip.remaining() >= headBytes + 8);
      next = ip.get(at + headBytes) & 0xff;
      headBytes += 8 + (ip.get(at + headBytes + 1) & 0xff) * 8;
    }
    if (next == 44) {
      counts.fragments++;
      return null;
    }
    if (next != UDP) {
      other(next);
      return null;
    }
    require(length >= headBytes && length <= ip.remaining() + uncaptured);
    return ofUdp(
        frame,
        ip,
        headBytes,
        length,
        address(ip.slice(at + 8, 16)),
        address(ip.slice(at + 24, 16)),
        ip.get(at + 1) >>> 4 & 3);
  }

  /** An address, of which there is one object for all packets. */
  private InetAddress address(ByteBuffer bytes) {
    InetAddress known = addresses.get(bytes);
    if (known != null) {
      return known;
    }
    byte[] raw = new byte[bytes.remaining()];
    bytes.get(0, raw);
    try {
      InetAddress made = InetAddress.getByAddress(raw);
      if (addresses.size() < MOST_ADDRESSES) {
        addresses.put(ByteBuffer.wrap(raw), made);
      }
      return made;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of %d bytes".formatted(raw.length), e);
    }
  }

  /**
   * Reads UDP and what is in it.
   *
   * @param length of the IP packet on the wire, with its head
   */
  private @Nullable RocePacket ofUdp(
      Frame frame,
      ByteBuffer ip,
      int headBytes,
      int length,
      InetAddress source,
      InetAddress destination,
      int congestion)
      throws ShortException {
    int at = ip.position() + headBytes;
    require(ip.limit() - at >= UDP_BYTES);
    int port = Short.toUnsignedInt(ip.getShort(at + 2));
    if (port != RocePacket.PORT) {
      counts.kind(
          port == VXLAN
              ? "of VXLAN, within which is not looked"
              : "of UDP to other ports than 4791");
      return null;
    }
    int udpLength = Short.toUnsignedInt(ip.getShort(at + 4));
    require(udpLength <= length - headBytes && udpLength >= UDP_BYTES);
    int end = at + udpLength;
    counts.congested += congestion == 3 ? 1 : 0;
    RocePacket packet = ofTransport(frame, ip, at + UDP_BYTES, end, source, destination);
    if (packet != null && end <= ip.limit() && headBytes <= 60) {
      int icrcAt = end - RocePacket.ICRC_BYTES;
      ByteBuffer covered = ip.slice(ip.position(), icrcAt - ip.position());
      int stored = ip.slice(icrcAt, 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
      counts.withoutCrc += stored == 0 ? 1 : 0;
      counts.wrongCrc += stored == 0 || Icrc.of(covered, headBytes) == stored ? 0 : 1;
    }
    return packet;
  }

  /**
   * Reads the transport's headers.
   *
   * @param end of the packet on the wire, which may lie beyond what was captured
   */
  private @Nullable RocePacket ofTransport(
      Frame frame, ByteBuffer bytes, int at, int end, InetAddress source, InetAddress destination)
      throws ShortException {
    require(bytes.limit() - at >= RocePacket.BTH_BYTES);
    int opcode = bytes.get(at) & 0xff;
    boolean readable =
        Opcode.isReliable(opcode) || Opcode.isDatagram(opcode) || opcode == Opcode.CONGESTION;
    if (!readable || (bytes.get(at + 1) & 0xf) != 0) {
      counts.unread(readable ? "another transport version of RoCEv2" : Opcode.transport(opcode));
      return null;
    }
    int pad = bytes.get(at + 1) >>> 4 & 3;
    int queuePair = bytes.getInt(at + 4) & Psn.MASK;
    int psn = bytes.getInt(at + 8) & Psn.MASK;
    int extended = at + RocePacket.BTH_BYTES;
    int payload = extended + Opcode.extendedBytes(opcode);
    int payloadLength = end - RocePacket.ICRC_BYTES - pad - payload;
    require(payloadLength >= 0);
    // Of a cut packet, as much is known as was captured; an answer is nothing without its syndrome.
    int known = bytes.limit() - extended;
    require(!Opcode.hasAeth(opcode) || known >= Integer.BYTES);
    require(!Opcode.isDatagram(opcode) || known >= RocePacket.DETH_BYTES);
    boolean whole = bytes.limit() >= payload;
    long address = 0;
    int key = 0;
    long messageLength = 0;
    int sender = 0;
    boolean targeted = Opcode.hasReth(opcode) || Opcode.isAtomic(opcode);
    boolean hasTarget = targeted && known >= TARGET_BYTES;
    if (targeted) {
      address = hasTarget ? bytes.getLong(extended) : 0;
      key = hasTarget ? bytes.getInt(extended + Long.BYTES) : 0;
      messageLength =
          Opcode.isAtomic(opcode)
              ? Long.BYTES
              : known >= RocePacket.RETH_BYTES
                  ? Integer.toUnsignedLong(bytes.getInt(extended + TARGET_BYTES))
                  : RocePacket.UNKNOWN_LENGTH;
    } else if (Opcode.isDatagram(opcode)) {
      sender = bytes.getInt(extended + 4) & Psn.MASK;
    }
    boolean carriesData = Opcode.hasImmediate(opcode) || Opcode.invalidates(opcode);
    boolean hasData = carriesData && whole;
    int immediate = hasData ? bytes.getInt(payload - Integer.BYTES) : 0;
    counts.kind(kind(opcode, queuePair));
    int syndrome = Opcode.hasAeth(opcode) ? bytes.get(extended) & 0xff : -1;
    int captured = whole ? Math.min(payloadLength, bytes.limit() - payload) : 0;
    return new RocePacket(
        frame.nanos(),
        source,
        destination,
        opcode,
        queuePair,
        psn,
        address,
        key,
        hasTarget,
        messageLength,
        syndrome,
        sender,
        immediate,
        hasData,
        frame.postedNanos(),
        payloadLength,
        bytes.slice(whole ? payload : bytes.limit(), captured));
  }

  private static String kind(int opcode, int queuePair) {
    if (opcode == Opcode.CONGESTION) {
      return "congestion notifications (CNP)";
    }
    if (Opcode.isDatagram(opcode)) {
      return queuePair == ManagementMessage.QUEUE_PAIR
          ? "of communication managers (queue pair 1)"
          : "unreliable datagrams (UD)";
    }
    return Opcode.isResponse(opcode) ? "acknowledgements and responses" : "of requests";
  }
}
