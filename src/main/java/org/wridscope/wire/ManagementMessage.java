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
  private static final int REPLY_DATA_BYTES = 196;

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

  /** The message in a packet; null if there is none, or it was not captured whole. */
  static @Nullable ManagementMessage of(RocePacket packet) {
    ByteBuffer mad = packet.payload();
    if (!Opcode.isDatagram(packet.opcode())
        || packet.queuePair() != QUEUE_PAIR
        || mad.remaining() < BYTES
        || mad.get(1) != CLASS) {
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

  private static ByteBuffer bytes(ByteBuffer from, int at, int length) {
    byte[] bytes = new byte[length];
    from.get(at, bytes);
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }
}
