// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.ConnectionRequest;

/**
 * The wire format between two software devices on a TCP connection; see {@code
 * docs/software-device.md}. Each end first sends a greeting, then frames: a header of {@value
 * #HEADER_BYTES} bytes followed by data of the length in the header.
 *
 * <p>An object of this class is a decoded header; it is reused.
 */
final class Frame {
  static final int GREETING_BYTES = 16;
  static final int HEADER_BYTES = 32;

  /** The longest data of a frame that is not a message. */
  static final int MAX_BODY_BYTES = ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA;

  static final int VERSION = 1;
  private static final byte[] MAGIC = "WRIDSOFT".getBytes(StandardCharsets.US_ASCII);

  /** The largest RNR retry count (IBTA 12.7.19: three bits). */
  private static final int MAX_RNR_RETRIES = 7;

  /** Frame types. */
  enum Type {
    REQUEST(1),
    ACCEPT(2),
    REJECT(3),
    ESTABLISHED(4),
    DISCONNECT(5),
    KEEPALIVE(6),
    SEND(16),
    RDMA_WRITE(17),
    ACKNOWLEDGE(18);

    private final byte code;

    Type(int code) {
      this.code = (byte) code;
    }

    private static @Nullable Type of(byte code) {
      return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
  }

  private static final @Nullable Type[] BY_CODE = new Type[19];

  /** Responses of an ACKNOWLEDGE by their code. */
  private static final Response[] RESPONSES = {
    Response.ACK,
    Response.RNR_NAK,
    Response.NAK_INVALID_REQUEST,
    Response.NAK_REMOTE_ACCESS,
    Response.NAK_REMOTE_OPERATIONAL,
    Response.SILENCE
  };

  static {
    for (Type type : Type.values()) {
      BY_CODE[type.code] = type;
    }
  }

  private Type type = Type.KEEPALIVE;
  private int detail;
  private int length;
  private long sequence;
  private long remoteAddress;
  private int remoteKey;

  Type type() {
    return type;
  }

  /** How many bytes follow the header. */
  int length() {
    return length;
  }

  /** The sequence number of the message, or of the message that is answered; counts from 0. */
  long sequence() {
    return sequence;
  }

  /** The target address of an RDMA WRITE. */
  long remoteAddress() {
    return remoteAddress;
  }

  int remoteKey() {
    return remoteKey;
  }

  /** The RNR retry count of a REQUEST or ACCEPT. */
  int rnrRetries() {
    return detail;
  }

  /** The response of an ACKNOWLEDGE. */
  Response response() {
    return RESPONSES[detail];
  }

  // -------------------------------------------------------------------------------- greeting

  static void encodeGreeting(ByteBuffer into) {
    into.put(MAGIC).putShort((short) VERSION).putShort((short) 0).putInt(0);
  }

  /** Whether the bytes before the position may be the beginning of a greeting. */
  static boolean mayBeGreeting(ByteBuffer bytes) {
    int known = Math.min(bytes.position(), MAGIC.length);
    for (int i = 0; i < known; i++) {
      if (bytes.get(i) != MAGIC[i]) {
        return false;
      }
    }
    return true;
  }

  /** The version in a greeting. */
  static int version(ByteBuffer greeting) {
    return Short.toUnsignedInt(greeting.getShort(MAGIC.length));
  }

  /** The bytes before the position as text, or as numbers when they are not printable. */
  static String quote(ByteBuffer bytes) {
    byte[] begin = new byte[Math.min(bytes.position(), GREETING_BYTES)];
    bytes.get(0, begin);
    String text = new String(begin, StandardCharsets.US_ASCII).stripTrailing();
    boolean printable = text.chars().allMatch(c -> c >= ' ' && c < 0x7f);
    return printable ? "\"" + text + "\"" : Arrays.toString(begin);
  }

  // ---------------------------------------------------------------------------------- frames

  /** Encodes a frame with private data, padded with zeros to the frame's length. */
  static void encode(ByteBuffer into, Type type, int rnrRetries, byte[] privateData) {
    int bytes = bodyBytes(type);
    encode(into, type, rnrRetries, bytes, 0, 0, 0);
    into.put(Arrays.copyOf(privateData, bytes));
  }

  /** Encodes a frame that has only a type. */
  static void encode(ByteBuffer into, Type type) {
    encode(into, type, 0, 0, 0, 0, 0);
  }

  static void encodeAcknowledge(ByteBuffer into, Response response, long sequence) {
    int code = 0;
    while (RESPONSES[code] != response) {
      code++;
    }
    encode(into, Type.ACKNOWLEDGE, code, 0, sequence, 0, 0);
  }

  static void encode(
      ByteBuffer into,
      Type type,
      int detail,
      int length,
      long sequence,
      long remoteAddress,
      int remoteKey) {
    into.put(type.code)
        .put((byte) detail)
        .putShort((short) 0)
        .putInt(length)
        .putLong(sequence)
        .putLong(remoteAddress)
        .putInt(remoteKey)
        .putInt(0);
  }

  private static int bodyBytes(Type type) {
    return switch (type) {
      case REQUEST -> ConnectionParameters.MAX_CONNECT_PRIVATE_DATA;
      case ACCEPT -> ConnectionParameters.MAX_ACCEPT_PRIVATE_DATA;
      case REJECT -> ConnectionRequest.MAX_REJECT_PRIVATE_DATA;
      default -> 0;
    };
  }

  /**
   * Decodes a header and checks each field.
   *
   * @param header of {@value #HEADER_BYTES} bytes, from index 0
   */
  void decode(ByteBuffer header) throws BrokenStreamException {
    Type known = Type.of(header.get(0));
    if (known == null) {
      throw BrokenStreamException.of("type", header.get(0) & 0xff, "one of a frame");
    }
    type = known;
    detail = header.get(1) & 0xff;
    length = header.getInt(4);
    sequence = header.getLong(8);
    remoteAddress = header.getLong(16);
    remoteKey = header.getInt(24);
    require("reserved field", header.getShort(2), 0);
    require("reserved field", header.getInt(28), 0);
    switch (type) {
      case REQUEST, ACCEPT -> {
        if (detail > MAX_RNR_RETRIES) {
          throw BrokenStreamException.of("RNR retry count", detail, "at most " + MAX_RNR_RETRIES);
        }
        requireNoMessage();
      }
      case REJECT, ESTABLISHED, DISCONNECT, KEEPALIVE -> {
        require("detail", detail, 0);
        requireNoMessage();
      }
      case ACKNOWLEDGE -> {
        if (detail >= RESPONSES.length) {
          throw BrokenStreamException.of("response", detail, "at most " + (RESPONSES.length - 1));
        }
        require("length", length, 0);
        requireNoTarget();
        requireSequence();
      }
      case SEND -> {
        requireNoTarget();
        requireMessage();
      }
      case RDMA_WRITE -> requireMessage();
    }
  }

  private void requireMessage() throws BrokenStreamException {
    require("detail", detail, 0);
    requireSequence();
    if (length < 0 || length > SoftDevice.MAX_MESSAGE_SIZE) {
      throw BrokenStreamException.of(
          "length", Integer.toUnsignedLong(length), "at most " + SoftDevice.MAX_MESSAGE_SIZE);
    }
  }

  private void requireSequence() throws BrokenStreamException {
    if (sequence < 0) {
      throw BrokenStreamException.of("sequence number", sequence, "at least 0");
    }
  }

  private void requireNoMessage() throws BrokenStreamException {
    require("length", length, bodyBytes(type));
    require("sequence number", sequence, 0);
    requireNoTarget();
  }

  private void requireNoTarget() throws BrokenStreamException {
    require("remote address", remoteAddress, 0);
    require("remote key", remoteKey, 0);
  }

  private void require(String field, long value, long allowed) throws BrokenStreamException {
    if (value != allowed) {
      throw BrokenStreamException.of(field, value, allowed + " in " + type);
    }
  }
}
