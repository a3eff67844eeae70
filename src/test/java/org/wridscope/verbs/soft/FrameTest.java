// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Encoding and decoding of frames. */
final class FrameTest {
  private static final Set<Frame.Type> MESSAGES =
      EnumSet.of(Frame.Type.SEND, Frame.Type.RDMA_WRITE);

  private static ByteBuffer header() {
    return ByteBuffer.allocate(Frame.HEADER_BYTES);
  }

  @Test
  void messages_areReadAsTheyWereWritten() throws Exception {
    var random = new SplittableRandom(5);
    var frame = new Frame();
    for (int i = 0; i < 10_000; i++) {
      boolean write = random.nextBoolean();
      Frame.Type type = write ? Frame.Type.RDMA_WRITE : Frame.Type.SEND;
      int length = random.nextInt(SoftDevice.MAX_MESSAGE_SIZE + 1);
      long sequence = random.nextLong() >>> 1;
      long address = write ? random.nextLong() : 0;
      int key = write ? random.nextInt() : 0;
      ByteBuffer bytes = header();
      Frame.encode(bytes, type, 0, length, sequence, address, key);
      assertThat(bytes.hasRemaining()).isFalse();
      frame.decode(bytes);
      assertThat(frame.type()).isEqualTo(type);
      assertThat(frame.length()).isEqualTo(length);
      assertThat(frame.sequence()).isEqualTo(sequence);
      assertThat(frame.remoteAddress()).isEqualTo(address);
      assertThat(frame.remoteKey()).isEqualTo(key);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SOURCE_FAULT")
  void answers_areReadAsTheyWereWritten(Response response) throws Exception {
    ByteBuffer bytes = header();
    Frame.encodeAcknowledge(bytes, response, 77);
    var frame = new Frame();
    frame.decode(bytes);
    assertThat(frame.type()).isEqualTo(Frame.Type.ACKNOWLEDGE);
    assertThat(frame.response()).isEqualTo(response);
    assertThat(frame.sequence()).isEqualTo(77);
  }

  /** Any bytes are refused, or every field is within its range. */
  @Test
  void anyHeader_isRefused_orInRange() {
    var random = new SplittableRandom(6);
    var frame = new Frame();
    int accepted = 0;
    for (int i = 0; i < 200_000; i++) {
      ByteBuffer bytes = header();
      Frame.Type type = Frame.Type.values()[random.nextInt(Frame.Type.values().length)];
      boolean message = MESSAGES.contains(type);
      Frame.encode(bytes, type, 0, message ? random.nextInt(4096) : 0, message ? i : 0, 0, 0);
      for (int changes = random.nextInt(3); changes > 0; changes--) {
        bytes.put(random.nextInt(Frame.HEADER_BYTES), (byte) random.nextInt());
      }
      try {
        frame.decode(bytes);
      } catch (BrokenStreamException e) {
        assertThat(e).hasMessageMatching("[a-zA-Z ]+ is -?\\d+, allowed is [\\w ]+");
        continue;
      }
      accepted++;
      assertThat(frame.length()).isBetween(0, SoftDevice.MAX_MESSAGE_SIZE);
      assertThat(frame.sequence()).isNotNegative();
      assertThat(frame.rnrRetries()).isBetween(0, 7);
      if (!MESSAGES.contains(frame.type())) {
        assertThat(frame.length()).isLessThanOrEqualTo(Frame.MAX_BODY_BYTES);
      }
      if (frame.type() == Frame.Type.ACKNOWLEDGE) {
        assertThat(frame.response()).isNotNull();
      }
    }
    assertThat(accepted).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, type is 0",
    "0, 7, type is 7",
    "0, -1, type is 255",
    "1, 8, detail is 8",
    "2, 1, reserved field is 256",
    "4, 127, length is 2130706432",
    "4, -1, length is 4278190080",
    "8, -128, sequence number is -9223372036854775808",
    "31, 1, reserved field is 1"
  })
  void aWrongField_isNamed_withItsValue(int at, byte value, String complaint) {
    ByteBuffer bytes = header();
    Frame.encode(bytes, Frame.Type.RDMA_WRITE, 0, 0, 0, 4096, 17);
    bytes.put(at, value);
    assertThatExceptionOfType(BrokenStreamException.class)
        .isThrownBy(() -> new Frame().decode(bytes))
        .withMessageStartingWith(complaint);
  }
}
