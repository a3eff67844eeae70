// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.wridscope.protocol.Rejections.assertRejected;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ControlHeaderTest {
  private static final String TYPES = "1 to 11 or a private type of Wridscope";

  @Test
  void limitsAreThoseOfQemu() {
    assertThat(ControlHeader.MAX_MESSAGE).isEqualTo(512 * 1024);
    assertThat(ControlHeader.MAX_PAYLOAD).isEqualTo(524_272);
    assertThat(ControlHeader.MAX_REPEAT).isEqualTo(4096);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void decode_everyType_isKnown(ControlType type) throws ProtocolException {
    assertThat(decode(0, type.value(), 1, 16)).isEqualTo(ControlHeader.of(type));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 524_271, 524_272})
  void decode_lengthOfTheMessage_isTaken(int length) throws ProtocolException {
    assertThat(decode(length, 6, 1, length + 16).length()).isEqualTo(length);
  }

  @ParameterizedTest
  @ValueSource(ints = {524_273, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
  void decode_lengthOutOfRange_isRejected(int length) {
    assertRejected(
        () -> decode(length, 6, 1, 16),
        "control header length",
        Integer.toUnsignedString(length),
        "0 to 524272");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 15, 524_289, Integer.MAX_VALUE})
  void decode_messageOfNoPossibleSize_isRejected(int received) {
    assertRejected(
        () -> decode(received - 16, 6, 1, received),
        "number of bytes in a control message",
        received,
        "16 to 524288");
  }

  @ParameterizedTest
  @CsvSource({"0, 17", "1, 16", "24, 16", "0, 524288"})
  void decode_lengthThatWasNotReceived_isRejected(int length, int received) {
    assertRejected(
        () -> decode(length, 6, 1, received),
        "control header length",
        length,
        "%d in a message of %d bytes".formatted(received - 16, received));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 12, 0x5700, 0x5706, 0x7fffffff, -1})
  void decode_unknownType_isRejected(int type) {
    assertRejected(
        () -> decode(0, type, 1, 16), "control header type", Integer.toUnsignedString(type), TYPES);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4095, 4096})
  void decode_repeatInRange_isTaken(int repeat) throws ProtocolException {
    assertThat(decode(0, 7, repeat, 16).repeat()).isEqualTo(repeat);
  }

  @ParameterizedTest
  @ValueSource(ints = {4097, 0x7fffffff, -1, -2147483648})
  void decode_repeatOutOfRange_isRejected(int repeat) {
    assertRejected(
        () -> decode(0, 7, repeat, 16),
        "REGISTER REQUEST repeat",
        Integer.toUnsignedString(repeat),
        "0 to 4096");
  }

  /** QEMU 7.2 leaves the repeat uninitialized. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4097, -1, 0x55d2a3f0})
  void decode_repeatOfQemuFile_isNotLookedAt(int repeat) throws ProtocolException {
    assertThat(decode(5, 3, repeat, 21)).isEqualTo(new ControlHeader(5, ControlType.QEMU_FILE, 1));
  }

  @Test
  void decode_padding_isNotLookedAt() throws ProtocolException {
    ByteBuffer message =
        ByteBuffer.allocate(16).putInt(0).putInt(2).putInt(1).putInt(0x467f).flip();
    assertThat(ControlHeader.decode(message, 16)).isEqualTo(ControlHeader.of(ControlType.READY));
  }

  @Test
  void decode_bufferShorterThanAHeader_isRejected() {
    assertRejected(
        () -> ControlHeader.decode(ByteBuffer.allocate(15), 16),
        "number of bytes left for a control header",
        15,
        "at least 16");
  }

  @ParameterizedTest
  @CsvSource({"-1, 1", "524273, 1", "0, -1", "0, 4097"})
  void constructor_outOfRange_throws(int length, int repeat) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ControlHeader(length, ControlType.COMPRESS, repeat));
  }

  @Test
  void codecs_littleEndianBuffer_throw() {
    ByteBuffer buffer = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    ControlHeader header = ControlHeader.of(ControlType.READY);
    assertThatIllegalArgumentException().isThrownBy(() -> header.encode(buffer));
    assertThatIllegalArgumentException().isThrownBy(() -> ControlHeader.decode(buffer, 16));
  }

  @Test
  void requireEmpty_payload_isRejected() throws ProtocolException {
    ControlHeader.of(ControlType.READY).requireEmpty();
    assertRejected(
        () -> new ControlHeader(3, ControlType.READY, 1).requireEmpty(), "READY length", 3, "0");
  }

  private static ControlHeader decode(int length, int type, int repeat, int received)
      throws ProtocolException {
    ByteBuffer message =
        ByteBuffer.allocate(16).putInt(length).putInt(type).putInt(repeat).putInt(0).flip();
    return ControlHeader.decode(message, received);
  }
}
