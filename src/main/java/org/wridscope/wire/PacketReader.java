// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import static org.wridscope.wire.ShortException.require;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the packets of RoCE and InfiniBand among captured ones, below Ethernet, Linux cooked and
 * raw link types and within records of Endace, and counts what it does not pass on.
 */
final class PacketReader {
  private static final int TYPE_IPV4 = 0x0800;
  private static final int TYPE_IPV6 = 0x86dd;
  private static final int TYPE_ROCE_V1 = 0x8915;

  /** No Ethernet type: a local route header of InfiniBand follows. */
  private static final int TYPE_INFINIBAND = 1 << 16;

  /** No Ethernet type: nothing that is read follows. */
  private static final int NO_TYPE = -1;

  /** Smaller ones are lengths (IEEE 802.3). */
  private static final int FIRST_TYPE = 0x600;

  private static final int MOST_TAGS = 4;
  private static final int MOST_EXTENSIONS = 8;
  private static final int LOCAL_ROUTE_BYTES = 8;
  private static final int GLOBAL_ROUTE_BYTES = 40;

  /** What follows a local route header: a transport header without a global route header. */
  private static final int LOCAL = 2;

  /** What follows a global route header: a transport header. */
  private static final int TRANSPORT = 0x1b;

  private static final int UDP = 17;
  private static final int UDP_BYTES = 8;

  private static final int VXLAN = 4789;
  private static final int IPV6_BYTES = 40;
  private static final int MOST_HOSTS = 1 << 12;

  private final Map<ByteBuffer, Host> hosts = new HashMap<>();
  private final PacketCounts counts = new PacketCounts();
  private final TransportReader transport = new TransportReader(counts);

  PacketCounts counts() {
    return counts;
  }

  /**
   * The packet of RoCE or InfiniBand in a captured one; null when it is none, or cannot be read.
   */
  @Nullable RocePacket read(Frame frame) {
    counts.packets++;
    Frame link = frame;
    try {
      link = frame.linkType() == LinkType.ERF ? EndaceRecord.inner(frame) : frame;
      RocePacket packet = readLink(link);
      if (packet != null) {
        counts.roce++;
        counts.cut += link.isCut() ? 1 : 0;
      }
      return packet;
    } catch (ShortException e) {
      if (link.isCut()) {
        counts.headless++;
        counts.kind("captured too short for their headers");
      } else {
        counts.malformed++;
        counts.kind("with headers that contradict their lengths");
      }
      return null;
    }
  }

  private static void skip(ByteBuffer bytes, int count) throws ShortException {
    require(bytes.remaining() >= count);
    bytes.position(bytes.position() + count);
  }

  private @Nullable RocePacket readLink(Frame frame) throws ShortException {
    ByteBuffer bytes = frame.bytes().duplicate();
    int type =
        switch (frame.linkType()) {
          case LinkType.ETHERNET -> {
            skip(bytes, 12);
            yield type(bytes);
          }
          case LinkType.COOKED -> {
            skip(bytes, 14);
            yield type(bytes);
          }
          case LinkType.COOKED_2 -> {
            require(bytes.remaining() >= 20);
            int first = Short.toUnsignedInt(bytes.getShort(bytes.position()));
            skip(bytes, 20);
            yield first;
          }
          case LinkType.LOOPBACK, LinkType.LOOPBACK_OF_OPENBSD -> {
            skip(bytes, 4);
            yield TYPE_IPV4;
          }
          case LinkType.RAW,
              LinkType.RAW_OF_BSD,
              LinkType.RAW_OF_OPENBSD,
              LinkType.IPV4,
              LinkType.IPV6 ->
              TYPE_IPV4;
          case LinkType.INFINIBAND -> TYPE_INFINIBAND;
          default -> {
            counts.unread(LinkType.name(frame));
            counts.ofOtherLinks++;
            yield NO_TYPE;
          }
        };
    long uncaptured = frame.length() - frame.bytes().remaining();
    return switch (type) {
      case NO_TYPE -> null;
      case TYPE_IPV4, TYPE_IPV6 -> ofIp(frame, bytes, uncaptured);
      case TYPE_INFINIBAND -> ofLocalRoute(frame, bytes, uncaptured);
      case TYPE_ROCE_V1 -> {
        require(bytes.remaining() >= GLOBAL_ROUTE_BYTES);
        yield ofGlobalRoute(frame, bytes, 0, bytes.limit() + uncaptured);
      }
      default -> {
        other(type);
        yield null;
      }
    };
  }

  /** The Ethernet type behind the tags of VLANs. */
  private int type(ByteBuffer bytes) throws ShortException {
    for (int tags = 0; tags <= MOST_TAGS; tags++) {
      require(bytes.remaining() >= 2);
      int type = Short.toUnsignedInt(bytes.getShort());
      if (type != 0x8100 && type != 0x88a8 && type != 0x9100) {
        return type;
      }
      skip(bytes, 2);
    }
    counts.kind("of VLANs within VLANs");
    return NO_TYPE;
  }

  /** Counts a packet of an Ethernet type that is not read. */
  private void other(int type) {
    counts.kind(
        switch (type) {
          case 0x0806 -> "of ARP";
          case 0x8808 -> "of Ethernet flow control (pause frames)";
          case 0x88cc -> "of LLDP";
          case 0x8906, 0x8914 -> "of Fibre Channel over Ethernet";
          default ->
              type < FIRST_TYPE
                  ? "of IEEE 802.2, such as a spanning tree's"
                  : "of Ethernet type 0x%04x".formatted(type);
        });
  }

  /**
   * Reads a packet of InfiniBand, which begins with a local route header (IBTA 7.7): which lane,
   * what follows, LIDs, and the length in words of four bytes, up to the invariant CRC.
   */
  private @Nullable RocePacket ofLocalRoute(Frame frame, ByteBuffer bytes, long uncaptured)
      throws ShortException {
    int at = bytes.position();
    require(bytes.remaining() >= LOCAL_ROUTE_BYTES);
    int next = bytes.get(at + 1) & 3;
    if ((bytes.get(at) & 0xf) != 0) {
      counts.kind("of another link version of InfiniBand");
      return null;
    }
    if (next < LOCAL) {
      counts.kind(next == 0 ? "of raw datagrams over InfiniBand" : "of IPv6 over raw InfiniBand");
      return null;
    }
    long end = at + (bytes.getShort(at + 4) & 0x7ffL) * Integer.BYTES;
    require(end <= bytes.limit() + uncaptured);
    if (next == LOCAL) {
      return ofInfiniBand(
          frame,
          bytes,
          LOCAL_ROUTE_BYTES,
          0,
          (int) end,
          host(bytes.slice(at + 6, 2)),
          host(bytes.slice(at + 2, 2)));
    }
    bytes.position(at + LOCAL_ROUTE_BYTES);
    return ofGlobalRoute(frame, bytes, LOCAL_ROUTE_BYTES, end);
  }

  /**
   * Reads what begins with a global route header (IBTA 8.3), which is that of IPv6: RoCEv1, and
   * InfiniBand between subnets.
   *
   * @param before bytes of the local route header before it
   * @param most where the packet ends at the latest
   */
  private @Nullable RocePacket ofGlobalRoute(Frame frame, ByteBuffer bytes, int before, long most)
      throws ShortException {
    int at = bytes.position();
    require(bytes.remaining() >= GLOBAL_ROUTE_BYTES);
    require((bytes.get(at) >>> 4 & 0xf) == 6);
    int next = bytes.get(at + 6) & 0xff;
    if (next != TRANSPORT) {
      counts.kind("of the protocol %d after a global route header".formatted(next));
      return null;
    }
    int end = at + GLOBAL_ROUTE_BYTES + Short.toUnsignedInt(bytes.getShort(at + 4));
    require(end <= most);
    bytes.position(at - before);
    return ofInfiniBand(
        frame,
        bytes,
        before,
        GLOBAL_ROUTE_BYTES,
        end,
        host(bytes.slice(at + 8, 16)),
        host(bytes.slice(at + 24, 16)));
  }

  /** Reads the transport behind route headers, of which there is one or both. */
  private @Nullable RocePacket ofInfiniBand(
      Frame frame, ByteBuffer bytes, int local, int global, int end, Host source, Host destination)
      throws ShortException {
    int at = bytes.position() + local + global;
    RocePacket packet = transport.read(frame, bytes, at, end, source, destination);
    if (packet != null) {
      check(bytes, local, global, 0, end);
    }
    return packet;
  }

  /**
   * Counts a wrong invariant CRC.
   *
   * @param bytes from the first header that the CRC covers
   * @param local bytes of a local route header
   * @param network bytes of an IP header or a global route header
   * @param udp bytes of a UDP header
   * @param end of the packet, behind the CRC
   */
  private void check(ByteBuffer bytes, int local, int network, int udp, int end) {
    if (end > bytes.limit() || network > Icrc.MOST_IP_BYTES) {
      return;
    }
    int icrcAt = end - RocePacket.ICRC_BYTES;
    ByteBuffer covered = bytes.slice(bytes.position(), icrcAt - bytes.position());
    int stored = bytes.slice(icrcAt, 4).order(ByteOrder.LITTLE_ENDIAN).getInt();
    counts.withoutCrc += stored == 0 ? 1 : 0;
    counts.wrongCrc += stored == 0 || Icrc.of(covered, local, network, udp) == stored ? 0 : 1;
  }

  private @Nullable RocePacket ofIp(Frame frame, ByteBuffer bytes, long uncaptured)
      throws ShortException {
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

  /** Counts a packet of IP that is not UDP. */
  private void otherOfIp(int protocol) {
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
      otherOfIp(ip.get(at + 9) & 0xff);
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
        host(ip.slice(at + 12, 4)),
        host(ip.slice(at + 16, 4)),
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
      otherOfIp(next);
      return null;
    }
    require(length >= headBytes && length <= ip.remaining() + uncaptured);
    return ofUdp(
        frame,
        ip,
        headBytes,
        length,
        host(ip.slice(at + 8, 16)),
        host(ip.slice(at + 24, 16)),
        ip.get(at + 1) >>> 4 & 3);
  }

  /** The host with an address or a LID, of which there is one object for all packets. */
  private Host host(ByteBuffer bytes) {
    Host known = hosts.get(bytes);
    if (known != null) {
      return known;
    }
    byte[] raw = new byte[bytes.remaining()];
    bytes.get(0, raw);
    Host made = Host.of(raw);
    if (hosts.size() < MOST_HOSTS) {
      hosts.put(ByteBuffer.wrap(raw), made);
    }
    return made;
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
      Host source,
      Host destination,
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
    RocePacket packet = transport.read(frame, ip, at + UDP_BYTES, end, source, destination);
    if (packet != null) {
      check(ip, 0, headBytes, UDP_BYTES, end);
    }
    return packet;
  }
}
