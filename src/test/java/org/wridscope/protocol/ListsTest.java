// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.wridscope.protocol.Rejections.assertRejected;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads that are lists: RAM BLOCKS RESULT and DIGESTS. */
final class ListsTest {
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  @Test
  void remoteBlocks_asManyAsFit_comeBack() throws ProtocolException {
    List<RemoteBlock> blocks =
        Collections.nCopies(16_383, new RemoteBlock(4096, 8192, Long.MAX_VALUE - 8192, -1));
    ByteBuffer payload = ByteBuffer.allocate(ControlHeader.MAX_PAYLOAD);
    RemoteBlock.encodeList(blocks, payload);

    assertThat(RemoteBlock.decodeList(payload.flip(), 16_383 * 32, 16_383)).isEqualTo(blocks);
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> RemoteBlock.encodeList(Collections.nCopies(16_384, blocks.getFirst()), payload));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 31, 33, 255, 524_272, -32, Integer.MIN_VALUE, 524_288})
  void remoteBlocks_lengthThatIsNoList_isRejected(int length) {
    assertRejected(
        () -> RemoteBlock.decodeList(ByteBuffer.allocate(600_000), length, 8),
        "RAM BLOCKS RESULT length",
        length,
        "a multiple of 32, up to 524256");
  }

  @ParameterizedTest
  @CsvSource({"0, 8, 0", "192, 8, 6", "288, 8, 9"})
  void remoteBlocks_otherNumber_isRejected(int length, int expected, int shown) {
    assertRejected(
        () -> RemoteBlock.decodeList(ByteBuffer.allocate(length), length, expected),
        "number of RAM blocks of the destination",
        shown,
        expected + ", the number of the source");
  }

  @Test
  void remoteBlocks_payloadCutOff_isRejected() {
    assertRejected(
        () -> RemoteBlock.decodeList(ByteBuffer.allocate(63), 64, 2),
        "number of bytes left for RAM BLOCKS RESULT",
        63,
        "at least 64");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, length of RAM block 1, 0, 1 to 9223372036854775807",
    "0, 0, -1, length of RAM block 1, 18446744073709551615, 1 to 9223372036854775807",
    "-4096, 0, 4096, host address of RAM block 1, 0xfffffffffffff000,"
        + " 'below 0xfffffffffffff000, for 4096 bytes to fit above'",
    "-1, 0, 1, host address of RAM block 1, 0xffffffffffffffff,"
        + " 'below 0xffffffffffffffff, for 1 bytes to fit above'",
    "4096, -4096, 8192, offset of RAM block 1, 0xfffffffffffff000,"
        + " 'below 0xffffffffffffe000, for 8192 bytes to fit above'",
  })
  void remoteBlocks_blockThatCannotBe_isRejected(
      long address, long offset, long length, String field, String value, String limit) {
    ByteBuffer payload = ByteBuffer.allocate(64);
    new RemoteBlock(4096, 0, 4096, 0).encode(payload);
    new RemoteBlock(address, offset, length, 0).encode(payload);

    assertRejected(() -> RemoteBlock.decodeList(payload.flip(), 64, 2), field, value, limit);
  }

  @Test
  void remoteBlocks_lastAddressThereIs_isTaken() throws ProtocolException {
    RemoteBlock block = new RemoteBlock(-4097, -8192, 4096, 1);
    ByteBuffer payload = ByteBuffer.allocate(32);
    RemoteBlock.encodeList(List.of(block), payload);

    assertThat(RemoteBlock.decodeList(payload.flip(), 32, 1)).containsExactly(block);
  }

  @Test
  void requireKey_noneWithPinAll_isRejected() throws ProtocolException {
    new RemoteBlock(4096, 0, 4096, -1).requireKey(3);
    assertRejected(
        () -> new RemoteBlock(4096, 0, 4096, 0).requireKey(3),
        "remote key of RAM block 3",
        0,
        "not 0 when all memory is pinned");
  }

  @Test
  void digests_asManyAsFit_comeBack() throws ProtocolException {
    DigestList list = new DigestList(Collections.nCopies(13_000, new DigestEntry(4096, DIGEST)));
    ByteBuffer payload = ByteBuffer.allocate(ControlHeader.MAX_PAYLOAD);
    list.encode(payload);

    assertThat(list.bytes()).isEqualTo(520_000).isEqualTo(payload.position());
    assertThat(DigestList.decode(payload.flip(), list.bytes())).isEqualTo(list);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new DigestList(Collections.nCopies(13_001, new DigestEntry(1, DIGEST))));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 39, 41, 520_040, -40, Integer.MIN_VALUE})
  void digests_lengthThatIsNoList_isRejected(int length) {
    assertRejected(
        () -> DigestList.decode(ByteBuffer.allocate(600_000), length),
        "DIGESTS length",
        length,
        "a multiple of 40, up to 520000");
  }

  @Test
  void digests_entryWithoutLength_isRejected() {
    assertRejected(
        () -> DigestList.decode(ByteBuffer.allocate(40), 40),
        "length of the digested RAM block 0",
        0,
        "1 to 9223372036854775807");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "00", "0123456789ABCDEF", "zz"})
  void digestEntry_notSixtyFourDigits_throws(String digits) {
    String digest = digits.length() == 16 ? digits.repeat(4) : digits;
    assertThatIllegalArgumentException().isThrownBy(() -> new DigestEntry(1, digest));
  }

  @Test
  void digestEntry_noLength_throws() {
    assertThatIllegalArgumentException().isThrownBy(() -> new DigestEntry(0, DIGEST));
  }
}
