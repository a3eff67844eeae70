// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.wridscope.protocol.Rejections.assertRejected;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.InquiryAnswer.Outcome;

final class CapabilitiesTest {
  private static final MigrationId ID = new MigrationId(0x0123456789abcdefL, 0xfedcba9876543210L);

  @Test
  void toBytes_flags_areThoseOfTheWire() {
    assertThat(Capabilities.of(Capabilities.PIN_ALL).toBytes()).isEqualTo(hex("00000001 00000001"));
    assertThat(Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.INQUIRY).toBytes(ID))
        .isEqualTo(hex("00000001 c0000000 0123456789abcdef fedcba9876543210"));
  }

  /** Over soft-RoCE, private data is padded to 56 bytes in a request and 196 in an answer. */
  @ParameterizedTest
  @ValueSource(ints = {8, 9, 56, 148, 196})
  void decode_privateDataOfAnyLength_readsTheFirstEightBytes(int length) throws ProtocolException {
    byte[] padded = Arrays.copyOf(hex("00000001 00000001"), length);

    Capabilities capabilities = Capabilities.decode(padded);

    assertThat(capabilities.version()).isEqualTo(1);
    assertThat(capabilities.pinAll()).isTrue();
    assertThat(capabilities.wridscope()).isFalse();
    assertThat(capabilities.inquiry()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void decode_tooShort_isRejected(int length) {
    assertRejected(
        () -> Capabilities.decode(new byte[length]),
        "number of bytes left for capabilities",
        length,
        "at least 8");
  }

  @Test
  void requireSupported_versionOne_passes() throws ProtocolException {
    Capabilities.of(0).requireSupported();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 9, -1})
  void requireSupported_otherVersion_isRejected(int version) {
    assertRejected(
        () -> new Capabilities(version, 0).requireSupported(),
        "RDMA migration protocol version",
        Integer.toUnsignedString(version),
        "1");
  }

  /** QEMU answers 0x1 to 0x1ff. */
  @Test
  void and_unknownFlags_areNotGranted() throws ProtocolException {
    Capabilities asked = Capabilities.decode(hex("00000001 800001ff"));
    asked.requireSupported();

    assertThat(asked.wridscope()).isTrue();
    assertThat(asked.and(Capabilities.PIN_ALL)).isEqualTo(new Capabilities(1, 1));
    assertThat(asked.and(Capabilities.PIN_ALL | Capabilities.WRIDSCOPE).flags())
        .isEqualTo(0x80000001);
  }

  @Test
  void and_otherVersion_answersOurs() {
    assertThat(new Capabilities(7, -1).and(0)).isEqualTo(new Capabilities(1, 0));
  }

  @Test
  void migrationId_behindCapabilities_isRead() throws ProtocolException {
    ByteBuffer privateData =
        ByteBuffer.wrap(Arrays.copyOf(Capabilities.of(Capabilities.WRIDSCOPE).toBytes(ID), 56));

    assertThat(Capabilities.decode(privateData).wridscope()).isTrue();
    assertThat(MigrationId.decode(privateData)).isEqualTo(ID);
  }

  /** Zeros are padding, and not an id. */
  @Test
  void migrationId_zero_isRejected() {
    assertRejected(
        () -> MigrationId.decode(ByteBuffer.allocate(48)), "migration id", 0, "16 random bytes");
    assertThatIllegalArgumentException().isThrownBy(() -> new MigrationId(0, 0));
  }

  @Test
  void migrationId_toString_isAUuid() {
    assertThat(ID).hasToString("01234567-89ab-cdef-fedc-ba9876543210");
    assertThat(UUID.fromString(ID.toString()).getLeastSignificantBits()).isEqualTo(ID.low());
  }

  @Test
  void migrationId_random_isAnotherEachTime() {
    assertThat(MigrationId.random()).isNotEqualTo(MigrationId.random());
  }

  @Test
  void inquiryAnswer_encode_isThatOfTheWire() {
    assertThat(new InquiryAnswer(ID, Outcome.RUNNING).toBytes())
        .isEqualTo(hex("57525343 0123456789abcdef fedcba9876543210 00000002"));
  }

  @Test
  void inquiryAnswer_padded_isRead() throws ProtocolException {
    for (Outcome outcome : Outcome.values()) {
      InquiryAnswer answer = new InquiryAnswer(ID, outcome);
      assertThat(InquiryAnswer.decode(Arrays.copyOf(answer.toBytes(), 148))).isEqualTo(answer);
    }
  }

  /** Private data of a reject that is not an answer: nothing, or padding. */
  @Test
  void inquiryAnswer_otherPrivateData_isRejected() {
    assertRejected(
        () -> InquiryAnswer.decode(new byte[0]),
        "number of bytes left for the answer to an inquiry",
        0,
        "at least 24");
    assertRejected(
        () -> InquiryAnswer.decode(new byte[148]),
        "magic of the answer to an inquiry",
        "0x00000000",
        "0x57525343");
    assertRejected(
        () -> InquiryAnswer.decode(hex("57525343 0123456789abcdef fedcba9876543210 00000003")),
        "inquiry outcome",
        3,
        "0 to 2");
    assertRejected(
        () -> InquiryAnswer.decode(hex("57525343 0000000000000000 0000000000000000 00000001")),
        "migration id",
        0,
        "16 random bytes");
  }

  /** HMAC-SHA256 with the secret as key, as another program computes it. */
  @Test
  void provedAnswer_isThatOfTheWire() throws ProtocolException {
    var secret = new MigrationSecret(0x0011223344556677L, 0x8899aabbccddeeffL);
    var question = new InquiryQuestion(ID, 0x0011223344556677L);
    byte[] answer = new InquiryAnswer(ID, Outcome.RUNNING).toBytes(secret, question);
    assertThat(answer)
        .isEqualTo(
            hex(
                "57525343 0123456789abcdef fedcba9876543210 00000002"
                    + " 0310ebc3516c037cd7cbe5dac90bb648"
                    + " 7cf3f45114723177fb82fbdb7ff1fbfe"));
    ByteBuffer padded = ByteBuffer.wrap(Arrays.copyOf(answer, 148));
    assertThat(InquiryAnswer.decode(padded).outcome()).isEqualTo(Outcome.RUNNING);
    assertThat(secret.isProved(question, Outcome.RUNNING, padded)).isTrue();
  }

  @Test
  void question_isThatOfTheWire_andAnOlderOneHasNoNonce() throws ProtocolException {
    assertThat(new InquiryQuestion(ID, 7).toBytes())
        .isEqualTo(hex("00000001 c0000000 0123456789abcdef fedcba9876543210 0000000000000007"));
    assertThat(
            InquiryQuestion.decode(
                ByteBuffer.wrap(hex("0123456789abcdef fedcba9876543210 00000000"))))
        .isEqualTo(new InquiryQuestion(ID, 0));
  }

  @Test
  void secret_followsTheCapabilities_andIsNeverZero() throws ProtocolException {
    var secret = new MigrationSecret(3, 4);
    ByteBuffer answer =
        ByteBuffer.wrap(
            Arrays.copyOf(
                Capabilities.of(Capabilities.WRIDSCOPE | Capabilities.PROOF).toBytes(secret), 196));
    assertThat(Capabilities.decode(answer).proof()).isTrue();
    assertThat(MigrationSecret.decode(answer)).isEqualTo(secret);
    assertThat(secret.toString()).doesNotContain("3", "4");
    assertThat(MigrationSecret.random()).isNotEqualTo(MigrationSecret.random());
    assertRejected(
        () -> MigrationSecret.decode(ByteBuffer.allocate(188)),
        "migration secret",
        0,
        "16 random bytes");
  }

  /** A QEMU has neither, whichever other flags are set. */
  @Test
  void proof_isOnlyBetweenTwoWridscopes() {
    assertThat(Capabilities.of(Capabilities.PROOF | Capabilities.PIN_ALL).proof()).isFalse();
    assertThat(Capabilities.of(Capabilities.WRIDSCOPE).proof()).isFalse();
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits.replace(" ", ""));
  }
}
