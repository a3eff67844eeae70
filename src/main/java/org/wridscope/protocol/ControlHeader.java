// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * The header of every control message, 16 bytes: u32 length, u32 type, u32 repeat, u32 padding
 * ({@code RDMAControlHeader} of QEMU 7.2 migration/rdma.c).
 *
 * @param length bytes of payload after the header, 0 to {@link #MAX_PAYLOAD}
 * @param repeat number of commands in the payload, 0 to {@link #MAX_REPEAT}
 */
public record ControlHeader(int length, ControlType type, int repeat) {
  public static final int BYTES = 16;

  /** {@code RDMA_CONTROL_MAX_BUFFER}: header and payload. */
  public static final int MAX_MESSAGE = 524_288;

  /** Bytes of the longest payload. */
  public static final int MAX_PAYLOAD = MAX_MESSAGE - BYTES;

  /** {@code RDMA_CONTROL_MAX_COMMANDS_PER_MESSAGE}. */
  public static final int MAX_REPEAT = 4096;

  public ControlHeader {
    if (length < 0 || length > MAX_PAYLOAD) {
      throw new IllegalArgumentException(
          "control header length %d: 0 to %d are allowed".formatted(length, MAX_PAYLOAD));
    }
    if (repeat < 0 || repeat > MAX_REPEAT) {
      throw new IllegalArgumentException(
          "control header repeat %d: 0 to %d are allowed".formatted(repeat, MAX_REPEAT));
    }
  }

  /** The header of a message without a payload. */
  public static ControlHeader of(ControlType type) {
    return new ControlHeader(0, type, 1);
  }

  /** Writes {@value #BYTES} bytes at the position; the padding is zero. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putInt(length).putInt(type.value()).putInt(repeat).putInt(0);
  }

  /**
   * Reads {@value #BYTES} bytes at the position, after which the payload begins.
   *
   * <p>QEMU 7.2 leaves the repeat of QEMU FILE messages uninitialized: it is ignored and reported
   * as 1.
   *
   * @param received bytes of the whole message, from its work completion
   */
  public static ControlHeader decode(ByteBuffer message, int received) throws ProtocolException {
    if (received < BYTES || received > MAX_MESSAGE) {
      throw ProtocolException.of(
          "number of bytes in a control message", received, BYTES + " to " + MAX_MESSAGE);
    }
    Wire.requireBytes(message, BYTES, "a control header");
    int length = message.getInt();
    int value = message.getInt();
    int repeat = message.getInt();
    message.getInt();

    if (length < 0 || length > MAX_PAYLOAD) {
      throw ProtocolException.ofUnsigned("control header length", length, "0 to " + MAX_PAYLOAD);
    }
    if (length + BYTES != received) {
      throw ProtocolException.of(
          "control header length",
          length,
          "%d in a message of %d bytes".formatted(received - BYTES, received));
    }
    ControlType type = ControlType.of(value);
    if (type == null || type == ControlType.NONE) {
      throw ProtocolException.ofUnsigned(
          "control header type", value, "1 to 11 or a private type of Wridscope");
    }
    if (type == ControlType.QEMU_FILE) {
      repeat = 1;
    } else if (repeat < 0 || repeat > MAX_REPEAT) {
      throw ProtocolException.ofUnsigned(type.text() + " repeat", repeat, "0 to " + MAX_REPEAT);
    }
    return new ControlHeader(length, type, repeat);
  }

  /** Checks that there is no payload. */
  public void requireEmpty() throws ProtocolException {
    if (length != 0) {
      throw ProtocolException.of(type.text() + " length", length, "0");
    }
  }
}
