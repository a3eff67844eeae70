// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** Builds captures packet by packet, apart from what the program writes itself. */
public final class Wire {
  public static final String A = "192.0.2.1";
  public static final String B = "192.0.2.2";
  public static final String A6 = "2001:db8::1";
  public static final String B6 = "2001:db8::2";

  /** Link types. */
  public static final int INFINIBAND = 247;

  public static final int ERF = 197;

  private static final int SECOND = 1_700_000_000;

  private final List<byte[]> frames = new ArrayList<>();
  private final List<Long> times = new ArrayList<>();
  private boolean vlan;
  private boolean version1;
  private int linkType = 1;
  private int snap = 1 << 18;

  /** What is added from now on is in a VLAN. */
  public Wire inVlan() {
    vlan = true;
    return this;
  }

  /** The link type of the file. */
  public Wire link(int type) {
    linkType = type;
    return this;
  }

  /** How many bytes of a packet are captured. */
  public Wire snap(int bytes) {
    snap = bytes;
    return this;
  }

  /** What is added from now on is RoCEv1: behind Ethernet is a global route header. */
  public Wire ofVersion1() {
    version1 = true;
    return this;
  }

  /**
   * Adds a packet, one microsecond after the last one.
   *
   * @param from an IP address, a GID, or for InfiniBand a LID in decimal
   */
  public Wire add(String from, String to, int opcode, int queuePair, int psn, byte[]... parts) {
    var body = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      body.writeBytes(part);
    }
    int pad = -body.size() & 3;
    ByteBuffer transport =
        ByteBuffer.allocate(12 + body.size() + pad)
            .put((byte) opcode)
            .put((byte) (pad << 4))
            .putShort((short) 0xffff)
            .putInt(queuePair)
            .putInt(psn & 0xffffff)
            .put(body.toByteArray());
    frames.add(
        version1 || linkType == INFINIBAND || (linkType == ERF && !from.contains("."))
            ? routed(from, to, transport.array())
            : framed(ip(address(from), address(to), transport.array())));
    times.add(SECOND * 1_000_000_000L + frames.size() * 1000L);
    return this;
  }

  /** Adds an acknowledgement. */
  public Wire acknowledge(String from, String to, int queuePair, int psn, int syndrome) {
    return add(from, to, 17, queuePair, psn, ByteBuffer.allocate(4).putInt(syndrome << 24).array());
  }

  /** The header with address, key and length. */
  public static byte[] reth(long address, int key, int length) {
    return ByteBuffer.allocate(16).putLong(address).putInt(key).putInt(length).array();
  }

  /** Adds a message of a communication manager. */
  public Wire manage(String from, String to, int attribute, byte[] message) {
    ByteBuffer mad = ByteBuffer.allocate(8 + 256);
    mad.putInt(0x80010000).putInt(1);
    mad.put((byte) 1).put((byte) 7).put((byte) 2).put((byte) 3);
    mad.putShort(8 + 16, (short) attribute);
    mad.put(8 + 24, message);
    return add(from, to, 0x64, 1, frames.size(), mad.array());
  }

  /** Two ends connect, as with librdmacm. */
  public Wire connect(String a, int qpA, byte[] request, String b, int qpB, byte[] reply) {
    ByteBuffer asked =
        ByteBuffer.allocate(232).putInt(0, 11).putInt(32, qpA << 8).put(140 + 36, request);
    ByteBuffer answered =
        ByteBuffer.allocate(232).putInt(0, 22).putInt(4, 11).putInt(12, qpB << 8).put(36, reply);
    return manage(a, b, 0x10, asked.array()).manage(b, a, 0x13, answered.array());
  }

  /** An end asks to disconnect. */
  public Wire disconnect(String from, String to, int queuePair) {
    return manage(from, to, 0x15, ByteBuffer.allocate(232).putInt(8, queuePair << 8).array());
  }

  private static byte[] address(String text) {
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] gid(String text) {
    byte[] raw = address(text);
    return raw.length == 16 ? raw : ByteBuffer.allocate(16).putInt(8, 0xffff).put(12, raw).array();
  }

  /** A packet of InfiniBand or RoCEv1, with its link. */
  private byte[] routed(String from, String to, byte[] transport) {
    boolean global = from.contains(":");
    int localBytes = version1 ? 0 : 8;
    int globalBytes = global ? 40 : 0;
    int length = transport.length + 4;
    ByteBuffer all = ByteBuffer.allocate(localBytes + globalBytes + length);
    if (!version1) {
      int words = all.capacity() / 4;
      // A virtual lane, a service level, and which header is next.
      all.put((byte) 0x30).put((byte) (0x50 | (global ? 3 : 2)));
      all.putShort((short) (global ? 2 : Integer.parseInt(to))).putShort((short) words);
      all.putShort((short) (global ? 1 : Integer.parseInt(from)));
    }
    if (global) {
      all.putInt(0x60012345).putShort((short) length).putShort((short) (0x1b << 8 | 64));
      all.put(gid(from)).put(gid(to));
    }
    all.put(transport);
    byte[] masked = all.array().clone();
    if (global) {
      masked[localBytes] |= 15;
      masked[localBytes + 1] = masked[localBytes + 2] = masked[localBytes + 3] = -1;
      masked[localBytes + 7] = -1;
    }
    if (!version1) {
      masked[0] |= (byte) 0xf0;
    }
    masked[localBytes + globalBytes + 4] = -1;
    var crc = new CRC32();
    if (version1) {
      crc.update(ByteBuffer.allocate(8).putLong(-1).array());
    }
    crc.update(masked, 0, masked.length - 4);
    all.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue());
    if (version1) {
      return linked(0x8915, all.array());
    }
    // The variant CRC.
    ByteBuffer whole = ByteBuffer.allocate(all.capacity() + 2).put(all.array());
    return linkType == ERF ? record(21, 0, whole.array()) : whole.array();
  }

  /** A record of Endace's format with one extension header. */
  private byte[] record(int type, int before, byte[] packet) {
    int heads = 16 + 8 + before;
    int padded = (heads + packet.length + 7) / 8 * 8;
    long nanos = SECOND * 1_000_000_000L + (frames.size() + 1) * 1000L;
    long fraction = ((nanos % 1_000_000_000L) << 32) / 1_000_000_000L;
    return ByteBuffer.allocate(padded)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(((nanos / 1_000_000_000L) << 32) | fraction)
        .order(ByteOrder.BIG_ENDIAN)
        .put((byte) (0x80 | type))
        .put((byte) 4)
        .putShort((short) padded)
        .putShort((short) 0)
        .putShort((short) packet.length)
        .putLong(0x0300_0000_0000_0000L)
        .put(new byte[before])
        .put(packet)
        .array();
  }

  private static byte[] ip(byte[] from, byte[] to, byte[] transport) {
    boolean four = from.length == 4;
    int udp = 8 + transport.length + 4;
    ByteBuffer all = ByteBuffer.allocate((four ? 20 : 40) + udp);
    if (four) {
      all.putInt(0x45020000 | 20 + udp).putInt(0x12344000).putInt(0x40110000);
    } else {
      all.putInt(0x60200000).putShort((short) udp).putShort((short) (17 << 8 | 64));
    }
    all.put(from).put(to);
    int head = all.position();
    all.putShort((short) 0xc000).putShort((short) 4791).putShort((short) udp).putShort((short) 0);
    all.put(transport);
    byte[] masked = all.array().clone();
    if (four) {
      masked[1] = masked[8] = masked[10] = masked[11] = -1;
    } else {
      masked[0] |= 15;
      masked[1] = masked[2] = masked[3] = masked[7] = -1;
    }
    masked[head + 6] = masked[head + 7] = masked[head + 12] = -1;
    var crc = new CRC32();
    crc.update(ByteBuffer.allocate(8).putLong(-1).array());
    crc.update(masked, 0, masked.length - 4);
    all.order(ByteOrder.LITTLE_ENDIAN).putInt((int) crc.getValue());
    return all.array();
  }

  private byte[] framed(byte[] ip) {
    return linked(ip[0] >>> 4 == 4 ? 0x0800 : 0x86dd, ip);
  }

  private byte[] linked(int type, byte[] ip) {
    return switch (linkType) {
      case ERF ->
          record(
              2,
              2,
              ByteBuffer.allocate(14 + ip.length).putShort(12, (short) type).put(14, ip).array());
      case 1 -> {
        ByteBuffer frame = ByteBuffer.allocate(14 + (vlan ? 4 : 0) + ip.length);
        frame.position(12);
        if (vlan) {
          frame.putInt(0x81000007);
        }
        yield frame.putShort((short) type).put(ip).array();
      }
      case 113 ->
          ByteBuffer.allocate(16 + ip.length).putShort(14, (short) type).put(16, ip).array();
      case 276 -> ByteBuffer.allocate(20 + ip.length).putShort(0, (short) type).put(20, ip).array();
      default -> ip;
    };
  }

  /** Number of packets. */
  public int count() {
    return frames.size();
  }

  /** Repeats packets, as they would be sent again. */
  public Wire repeat(int first, int count) {
    for (int i = first; i < first + count; i++) {
      frames.add(frames.get(i));
      times.add(SECOND * 1_000_000_000L + frames.size() * 1000L);
    }
    return this;
  }

  /** Removes a packet, as if it had not been captured. */
  public Wire remove(int index) {
    frames.remove(index);
    times.remove(index);
    return this;
  }

  /** A pcap file. */
  public byte[] pcap(ByteOrder order, boolean nanoseconds) {
    var out = new ByteArrayOutputStream();
    out.writeBytes(
        ByteBuffer.allocate(24)
            .order(order)
            .putInt(nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4)
            .putShort((short) 2)
            .putShort((short) 4)
            .putInt(16, snap)
            .putInt(20, linkType)
            .array());
    for (int i = 0; i < frames.size(); i++) {
      byte[] frame = frames.get(i);
      long nanos = times.get(i);
      int kept = Math.min(snap, frame.length);
      out.writeBytes(
          ByteBuffer.allocate(16)
              .order(order)
              .putInt((int) (nanos / 1_000_000_000))
              .putInt((int) (nanos % 1_000_000_000 / (nanoseconds ? 1 : 1000)))
              .putInt(kept)
              .putInt(frame.length)
              .array());
      out.write(frame, 0, kept);
    }
    return out.toByteArray();
  }

  /** A pcapng file, with an interface that has the default resolution or one of 2^-30 seconds. */
  public byte[] pcapng(ByteOrder order, boolean binary) {
    var out = new ByteArrayOutputStream();
    block(
        out,
        order,
        0x0a0d0d0a,
        ByteBuffer.allocate(16).order(order).putInt(0x1a2b3c4d).putInt(1).putLong(-1).array());
    ByteBuffer face = ByteBuffer.allocate(binary ? 20 : 8).order(order).putShort((short) linkType);
    face.putShort((short) 0).putInt(snap);
    if (binary) {
      face.putShort((short) 9).putShort((short) 1).put((byte) (0x80 | 30));
    }
    block(out, order, 1, face.array());
    block(out, order, 4, new byte[8]);
    for (int i = 0; i < frames.size(); i++) {
      byte[] frame = frames.get(i);
      long nanos = times.get(i);
      long units =
          binary
              ? ((nanos / 1_000_000_000) << 30)
                  + Math.ceilDiv((nanos % 1_000_000_000) * (1L << 30), 1_000_000_000)
              : nanos / 1000;
      int kept = Math.min(snap, frame.length);
      ByteBuffer body = ByteBuffer.allocate(20 + (kept + 3) / 4 * 4).order(order);
      body.putInt(0).putInt((int) (units >>> 32)).putInt((int) units).putInt(kept);
      body.putInt(frame.length).put(frame, 0, kept);
      block(out, order, 6, body.array());
    }
    return out.toByteArray();
  }

  private static void block(ByteArrayOutputStream out, ByteOrder order, int type, byte[] body) {
    int length = 12 + body.length;
    out.writeBytes(ByteBuffer.allocate(8).order(order).putInt(type).putInt(length).array());
    out.writeBytes(body);
    out.writeBytes(ByteBuffer.allocate(4).order(order).putInt(length).array());
  }

  /** Writes it as pcap with nanoseconds. */
  public Path file(Path file) throws IOException {
    return Files.write(file, pcap(ByteOrder.LITTLE_ENDIAN, true));
  }
}
