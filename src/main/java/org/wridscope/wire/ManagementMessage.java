// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of the communication manager that asks for a connection, answers, or ends it (IBTA
 * 12.6), in a management datagram between the queue pairs with the number 1.
 *
 * @param kind which message it is
 * @param localId of its sender for this connection
 * @param remoteId of its receiver, 0 in a request
 * @param queuePair of its sender, or that of its receiver in a request to disconnect; 0 in others
 * @param privateData as an application gave it, padded with zeros
 */
record ManagementMessage(
    Kind kind, int localId, int remoteId, int queuePair, ByteBuffer privateData) {
  /** The queue pair of the general services. */
  static final int QUEUE_PAIR = 1;

  static final int BYTES = 256;
  private static final int HEAD_BYTES = 24;
  private static final int CLASS = 7;
  private static final int REQUEST_DATA = 140;
  private static final int REQUEST_DATA_BYTES = 92;

  /** Addresses and port, which librdmacm puts first (IBTA annex 11). */
  private static final int ADDRESSES_BYTES = 36;

  private static final int REPLY_DATA = 36;
  private static final int REJECT_REASON = 10;
  private static final int REPLY_DATA_BYTES = 196;

  private static final int GENERAL_KEY = 0x80010000;

  /** Service ids of librdmacm's port space {@code RDMA_PS_TCP}. */
  private static final long PORT_SPACE = 0x0000_0000_0106_0000L;

  /** A path MTU of 4096 bytes. */
  private static final int MTU_CODE = 5;

  private static final int RETRIES = 7;
  private static final int MIDDLE_TIMEOUT = 18;

  /** The kinds that matter here, with their attribute ids. */
  enum Kind {
    REQUEST(0x10),
    REPLY(0x13),
    READY_TO_USE(0x14),
    DISCONNECT(0x15),
    DISCONNECTED(0x16);

    private final int attribute;

    Kind(int attribute) {
      this.attribute = attribute;
    }

    static @Nullable Kind of(int attribute) {
      for (Kind kind : values()) {
        if (kind.attribute == attribute) {
          return kind;
        }
      }
      return null;
    }
  }

  private static boolean isManagement(RocePacket packet) {
    return Opcode.isDatagram(packet.opcode())
        && packet.queuePair() == QUEUE_PAIR
        && packet.payload().remaining() >= BYTES
        && packet.payload().get(1) == CLASS;
  }

  /**
   * The name of any message of the communication manager, with the reason of a reject; empty if a
   * packet holds none, or it was not captured whole.
   */
  static String name(RocePacket packet) {
    if (!isManagement(packet)) {
      return "";
    }
    int attribute = Short.toUnsignedInt(packet.payload().getShort(16));
    return switch (attribute) {
      case 0x10 -> "REQ";
      case 0x11 -> "MRA";
      case 0x12 ->
          "REJ with the reason "
              + Short.toUnsignedInt(packet.payload().getShort(HEAD_BYTES + REJECT_REASON));
      case 0x13 -> "REP";
      case 0x14 -> "RTU";
      case 0x15 -> "DREQ";
      case 0x16 -> "DREP";
      case 0x17 -> "SIDR_REQ";
      case 0x18 -> "SIDR_REP";
      case 0x19 -> "LAP";
      case 0x1a -> "APR";
      default -> "of attribute 0x%x".formatted(attribute);
    };
  }

  /** The message in a packet; null if there is none, or it was not captured whole. */
  static @Nullable ManagementMessage of(RocePacket packet) {
    ByteBuffer mad = packet.payload();
    if (!isManagement(packet)) {
      return null;
    }
    Kind kind = Kind.of(Short.toUnsignedInt(mad.getShort(16)));
    if (kind == null) {
      return null;
    }
    int localId = mad.getInt(HEAD_BYTES);
    int remoteId = kind == Kind.REQUEST ? 0 : mad.getInt(HEAD_BYTES + 4);
    return switch (kind) {
      case REQUEST ->
          new ManagementMessage(
              kind,
              localId,
              remoteId,
              mad.getInt(HEAD_BYTES + 32) >>> 8,
              bytes(
                  mad,
                  HEAD_BYTES + REQUEST_DATA + ADDRESSES_BYTES,
                  REQUEST_DATA_BYTES - ADDRESSES_BYTES));
      case REPLY ->
          new ManagementMessage(
              kind,
              localId,
              remoteId,
              mad.getInt(HEAD_BYTES + 12) >>> 8,
              bytes(mad, HEAD_BYTES + REPLY_DATA, REPLY_DATA_BYTES));
      case DISCONNECT ->
          new ManagementMessage(
              kind, localId, remoteId, mad.getInt(HEAD_BYTES + 8) >>> 8, WireConnection.NOTHING);
      case READY_TO_USE, DISCONNECTED ->
          new ManagementMessage(kind, localId, remoteId, 0, WireConnection.NOTHING);
    };
  }

  // ------------------------------------------------------------------------------------ writing

  /** The header of datagrams between the queue pairs with the number 1. */
  static byte[] datagramHeader() {
    return ByteBuffer.allocate(RocePacket.DETH_BYTES).putInt(GENERAL_KEY).putInt(1).array();
  }

  /** Writes the head of a message into an array of {@link #BYTES}. */
  private static ByteBuffer mad(byte[] into, Kind kind, int transaction) {
    ByteBuffer mad = ByteBuffer.wrap(into);
    mad.put((byte) 1).put((byte) CLASS).put((byte) 2).put((byte) 3).putInt(0);
    mad.putLong(transaction).putShort((short) kind.attribute);
    return mad;
  }

  /**
   * A request, as librdmacm makes it.
   *
   * @param psn number of the client's first packet
   * @param port on which the server listens
   * @param client its IPv4 address
   * @param server its IPv4 address
   */
  static byte[] request(
      int localId, int queuePair, int psn, int port, int client, int server, ByteBuffer data) {
    int at = HEAD_BYTES;
    byte[] datagram = new byte[BYTES];
    ByteBuffer mad = mad(datagram, Kind.REQUEST, localId);
    mad.putInt(at, localId).putLong(at + 8, PORT_SPACE | port);
    mad.putInt(at + 32, queuePair << 8 | 1).putInt(at + 36, 1);
    mad.putInt(at + 40, MIDDLE_TIMEOUT << 3);
    mad.putInt(at + 44, psn << 8 | MIDDLE_TIMEOUT << 3 | RETRIES);
    mad.putShort(at + 48, (short) 0xffff);
    mad.put(at + 50, (byte) (MTU_CODE << 4 | RETRIES)).put(at + 51, (byte) (15 << 4));
    mapped(mad, at + 56, client);
    mapped(mad, at + 72, server);
    mad.put(at + 93, (byte) 64);
    int addresses = at + REQUEST_DATA;
    mad.put(addresses + 1, (byte) (4 << 4));
    mad.putInt(addresses + 16, client).putInt(addresses + 32, server);
    mad.put(addresses + ADDRESSES_BYTES, data, 0, data.remaining());
    return datagram;
  }

  /** An IPv4 address as an IPv6 address. */
  private static void mapped(ByteBuffer mad, int at, int address) {
    mad.putInt(at + 8, 0xffff).putInt(at + 12, address);
  }

  /** The answer to a request. */
  static byte[] reply(int localId, int remoteId, int queuePair, int psn, ByteBuffer data) {
    int at = HEAD_BYTES;
    byte[] datagram = new byte[BYTES];
    ByteBuffer mad = mad(datagram, Kind.REPLY, remoteId);
    mad.putInt(at, localId).putInt(at + 4, remoteId).putInt(at + 12, queuePair << 8);
    mad.putInt(at + 20, psn << 8).put(at + 24, (byte) 1).put(at + 25, (byte) 1);
    mad.put(at + 27, (byte) (RETRIES << 5));
    mad.put(at + REPLY_DATA, data, 0, data.remaining());
    return datagram;
  }

  static byte[] readyToUse(int localId, int remoteId) {
    return ids(Kind.READY_TO_USE, localId, remoteId, 0);
  }

  /**
   * A request to disconnect.
   *
   * @param queuePair of its receiver
   */
  static byte[] disconnect(int localId, int remoteId, int queuePair) {
    return ids(Kind.DISCONNECT, localId, remoteId, queuePair << 8);
  }

  static byte[] disconnected(int localId, int remoteId) {
    return ids(Kind.DISCONNECTED, localId, remoteId, 0);
  }

  private static byte[] ids(Kind kind, int localId, int remoteId, int third) {
    byte[] datagram = new byte[BYTES];
    mad(datagram, kind, localId)
        .putInt(HEAD_BYTES, localId)
        .putInt(HEAD_BYTES + 4, remoteId)
        .putInt(HEAD_BYTES + 8, third);
    return datagram;
  }

  private static ByteBuffer bytes(ByteBuffer from, int at, int length) {
    byte[] bytes = new byte[length];
    from.get(at, bytes);
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }
}
