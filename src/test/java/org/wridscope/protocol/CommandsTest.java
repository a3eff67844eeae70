// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.wridscope.protocol.Rejections.assertRejected;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the registration loop, and their limits on the wire and in a block. */
final class CommandsTest {
  private static final long MIB = 1 << 20;

  /** Three chunks, the last of one page, at an offset like that of QEMU's second block. */
  private static final BlockGeometry BLOCK = new BlockGeometry(0x4080000, 2 * MIB + 4096);

  @Nested
  final class Geometry {
    @ParameterizedTest
    @CsvSource({
      "1, 1",
      "4096, 1",
      "1048576, 1",
      "1048577, 2",
      "2097152, 2",
      "18014398509481984, 17179869184"
    })
    void chunks_anyLength_coverIt(long length, long chunks) {
      assertThat(new BlockGeometry(0, length).chunks()).isEqualTo(chunks);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0, -1", "0, 18014398509481985", "-1, 1", "-4096, 4096"})
    void constructor_outOfRange_throws(long offset, long length) {
      assertThatIllegalArgumentException().isThrownBy(() -> new BlockGeometry(offset, length));
    }

    /** Offsets are unsigned, so a block may extend over the largest signed number. */
    @Test
    void resolve_blockAcrossTheSignBit_isFound() throws ProtocolException {
      BlockGeometry block = new BlockGeometry(Long.MAX_VALUE - MIB + 1, 2 * MIB);
      assertThat(new RegisterCommand(Long.MIN_VALUE, 0, 0).resolve(block))
          .isEqualTo(new ChunkRun(0, 1, 1));
      assertThat(new CompressCommand(0, 0, Long.MIN_VALUE, MIB).resolve(block)).isEqualTo(MIB);
    }
  }

  @Nested
  final class Register {
    @ParameterizedTest
    @CsvSource({
      "0, 0, 0, 1",
      "1, 0, 0, 1",
      "1048575, 0, 0, 1",
      "1048576, 0, 1, 1",
      "2097152, 0, 2, 1",
      "2101247, 0, 2, 1",
      "0, 2, 0, 3",
      "1048575, 2, 0, 3",
      "1048576, 1, 1, 2",
    })
    void resolve_insideTheBlock_givesTheRun(long at, long additional, long first, long chunks)
        throws ProtocolException {
      ChunkRun run = new RegisterCommand(BLOCK.offset() + at, 5, additional).resolve(BLOCK);

      assertThat(run).isEqualTo(new ChunkRun(5, first, chunks));
      assertThat(run.last()).isEqualTo(first + additional);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 2 * MIB + 4096, Long.MAX_VALUE, Long.MIN_VALUE, -0x4080000})
    void resolve_addressOutsideTheBlock_isRejected(long at) {
      long address = BLOCK.offset() + at;
      assertRejected(
          () -> new RegisterCommand(address, 0, 0).resolve(BLOCK),
          "REGISTER REQUEST address",
          "0x" + Long.toHexString(address),
          "0x4080000 to 0x4280fff");
    }

    @ParameterizedTest
    @CsvSource({
      "0, 3, 0 to 2 after chunk 0 of RAM block 0",
      "2097152, 1, 0 to 0 after chunk 2 of RAM block 0",
      "0, 17179869183, 0 to 2 after chunk 0 of RAM block 0",
      "0, 9223372036854775807, 0 to 2 after chunk 0 of RAM block 0",
      "1048576, -1, 0 to 1 after chunk 1 of RAM block 0",
    })
    void resolve_runBeyondTheBlock_isRejected(long at, long additional, String limit) {
      assertRejected(
          () -> new RegisterCommand(BLOCK.offset() + at, 0, additional).resolve(BLOCK),
          "REGISTER REQUEST chunks",
          Long.toUnsignedString(additional),
          limit);
    }

    @ParameterizedTest
    @ValueSource(ints = {16383, -1, Integer.MIN_VALUE})
    void decode_blockIndexThatNoListHas_isRejected(int block) {
      assertRejected(
          () -> RegisterCommand.decode(command(0, block, 0)),
          "REGISTER REQUEST block index",
          Integer.toUnsignedString(block),
          "0 to 16382");
    }

    @ParameterizedTest
    @ValueSource(longs = {17_179_869_184L, -1})
    void decode_chunksThatNoWridHas_areRejected(long chunks) {
      assertRejected(
          () -> RegisterCommand.decode(command(0, 0, chunks)),
          "REGISTER REQUEST chunks",
          Long.toUnsignedString(chunks),
          "0 to 17179869183");
    }

    @Test
    void requireBlock_indexBeyondTheBlocks_isRejected() throws ProtocolException {
      assertThat(new RegisterCommand(0, 7, 0).requireBlock(8)).isEqualTo(7);
      assertRejected(
          () -> new RegisterCommand(0, 8, 0).requireBlock(8),
          "REGISTER REQUEST block index",
          8,
          "0 to 7");
    }

    @ParameterizedTest
    @CsvSource({"24, 1", "168, 7", "98304, 4096"})
    void requireRepeat_payloadOfThatManyCommands_passes(int length, int repeat)
        throws ProtocolException {
      ControlHeader header = new ControlHeader(length, ControlType.REGISTER_REQUEST, repeat);
      assertThat(ChunkCommand.requireRepeat(header)).isEqualTo(repeat);
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "23, 1", "25, 1", "48, 1", "24, 2", "98304, 4095", "524272, 4096"})
    void requireRepeat_payloadOfOtherLength_isRejected(int length, int repeat) {
      ControlHeader header = new ControlHeader(length, ControlType.REGISTER_REQUEST, repeat);
      assertRejected(
          () -> ChunkCommand.requireRepeat(header),
          "REGISTER REQUEST length",
          length,
          "%d, %d commands of 24 bytes".formatted(24 * repeat, repeat));
    }

    @Test
    void requireRepeat_noCommand_isRejected() {
      assertRejected(
          () -> ChunkCommand.requireRepeat(new ControlHeader(0, ControlType.COMPRESS, 0)),
          "COMPRESS repeat",
          0,
          "1 to 4096");
    }
  }

  @Nested
  final class Result {
    @Test
    void decode_keyZero_isRejected() {
      assertRejected(
          () -> RegisterResult.decode(ByteBuffer.allocate(16)),
          "REGISTER RESULT remote key",
          0,
          "not 0");
      assertThatIllegalArgumentException().isThrownBy(() -> new RegisterResult(0, 4096));
    }

    @Test
    void decode_keyWithItsHighestBitSet_isTaken() throws ProtocolException {
      RegisterResult result = new RegisterResult(0x80000000, 0xffff800000000000L);
      ByteBuffer buffer = ByteBuffer.allocate(16);
      result.encode(buffer);
      assertThat(RegisterResult.decode(buffer.flip())).isEqualTo(result);
    }

    @ParameterizedTest
    @CsvSource({"16, 1, 1", "16, 7, 1", "16, 0, 1", "112, 7, 7", "65536, 4096, 4096"})
    void requireRepeat_asManyResultsAsCommands_passes(int length, int repeat, int expected)
        throws ProtocolException {
      ControlHeader header = new ControlHeader(length, ControlType.REGISTER_RESULT, repeat);
      assertThat(RegisterResult.requireRepeat(header, expected)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
      "16, 7, 7, length, 16, '112, for 7 commands'",
      "0, 1, 1, length, 0, '16, for 1 commands'",
      "32, 1, 1, length, 32, '16, for 1 commands'",
      "32, 1, 2, repeat, 1, '2, as in the request'",
    })
    void requireRepeat_otherNumberOfResults_isRejected(
        int length, int repeat, int expected, String field, int value, String limit) {
      ControlHeader header = new ControlHeader(length, ControlType.REGISTER_RESULT, repeat);
      assertRejected(
          () -> RegisterResult.requireRepeat(header, expected),
          "REGISTER RESULT " + field,
          value,
          limit);
    }

    @Test
    void requireHostAddress_blockThatMoved_isRejected() throws ProtocolException {
      RegisterResult result = new RegisterResult(1, 0x7f00_0000_0000L);
      result.requireHostAddress(0x7f00_0000_0000L);
      assertRejected(
          () -> result.requireHostAddress(0x7f00_0000_1000L),
          "REGISTER RESULT host address",
          "0x7f0000000000",
          "0x7f0000001000, as in RAM BLOCKS RESULT");
    }
  }

  @Nested
  final class Compress {
    @ParameterizedTest
    @CsvSource({"0, 1", "0, 1048576", "0, 2101248", "2097152, 4096", "2101247, 1"})
    void resolve_insideTheBlock_givesTheFirstByte(long at, long length) throws ProtocolException {
      assertThat(new CompressCommand(0, 0, BLOCK.offset() + at, length).resolve(BLOCK))
          .isEqualTo(at);
    }

    @ParameterizedTest
    @CsvSource({
      "0, 2101249, 1 to 2101248 from byte 0 of RAM block 4",
      "2101247, 2, 1 to 1 from byte 2101247 of RAM block 4",
      "1048576, 9223372036854775807, 1 to 1052672 from byte 1048576 of RAM block 4",
    })
    void resolve_beyondTheBlock_isRejected(long at, long length, String limit) {
      assertRejected(
          () -> new CompressCommand(0, 4, BLOCK.offset() + at, length).resolve(BLOCK),
          "COMPRESS length",
          length,
          limit);
    }

    @ParameterizedTest
    @ValueSource(longs = {0x407ffff, 0x4281000, 0, -1, Long.MIN_VALUE})
    void resolve_addressOutsideTheBlock_isRejected(long address) {
      assertRejected(
          () -> new CompressCommand(0, 0, address, 1).resolve(BLOCK),
          "COMPRESS address",
          "0x" + Long.toHexString(address),
          "0x4080000 to 0x4280fff");
    }

    @ParameterizedTest
    @CsvSource({"256, 256", "-1, 4294967295", "-2147483648, 2147483648"})
    void decode_valueThatIsNoByte_isRejected(int value, String shown) {
      assertRejected(
          () -> CompressCommand.decode(compress(value, 0, 4096)),
          "COMPRESS value",
          shown,
          "0 to 255");
    }

    @Test
    void decode_largestValues_areTaken() throws ProtocolException {
      assertThat(CompressCommand.decode(compress(255, 16382, Long.MAX_VALUE)))
          .isEqualTo(new CompressCommand(255, 16382, 0, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-1, 18446744073709551615", "-9223372036854775808, 9223372036854775808"})
    void decode_noLength_isRejected(long length, String shown) {
      assertRejected(
          () -> CompressCommand.decode(compress(0, 0, length)),
          "COMPRESS length",
          shown,
          "1 to 9223372036854775807");
    }

    @Test
    void decode_blockIndexThatNoListHas_isRejected() {
      assertRejected(
          () -> CompressCommand.decode(compress(0, 16383, 1)),
          "COMPRESS block index",
          16383,
          "0 to 16382");
      assertRejected(
          () -> new CompressCommand(0, 1, 0, 1).requireBlock(1),
          "COMPRESS block index",
          1,
          "0 to 0");
    }

    private static ByteBuffer compress(int value, int block, long length) {
      return ByteBuffer.allocate(24).putInt(value).putInt(block).putLong(0).putLong(length).flip();
    }
  }

  @Nested
  final class Unregister {
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 2", "1, 1", "2, 0"})
    void resolve_insideTheBlock_givesTheRun(long chunk, long additional) throws ProtocolException {
      assertThat(new UnregisterCommand(chunk, 1, additional).resolve(BLOCK))
          .isEqualTo(new ChunkRun(1, chunk, additional + 1));
    }

    @ParameterizedTest
    @CsvSource({
      "3, 0, chunk, 3, 0 to 2 in RAM block 1",
      "17179869183, 0, chunk, 17179869183, 0 to 2 in RAM block 1",
      "0, 3, chunks, 3, 0 to 2 after chunk 0 of RAM block 1",
      "2, 1, chunks, 1, 0 to 0 after chunk 2 of RAM block 1",
    })
    void resolve_beyondTheBlock_isRejected(
        long chunk, long additional, String field, long value, String limit) {
      assertRejected(
          () -> new UnregisterCommand(chunk, 1, additional).resolve(BLOCK),
          "UNREGISTER REQUEST " + field,
          value,
          limit);
    }

    @ParameterizedTest
    @CsvSource({
      "17179869184, 0, 0, chunk, 17179869184, 0 to 17179869183",
      "-1, 0, 0, chunk, 18446744073709551615, 0 to 17179869183",
      "0, 0, -1, chunks, 18446744073709551615, 0 to 17179869183",
      "0, 16383, 0, block index, 16383, 0 to 16382",
    })
    void decode_outOfRange_isRejected(
        long chunk, int block, long additional, String field, String value, String limit) {
      assertRejected(
          () -> UnregisterCommand.decode(command(chunk, block, additional)),
          "UNREGISTER REQUEST " + field,
          value,
          limit);
    }
  }

  /** Padding that QEMU leaves undefined, as it was observed. */
  @Test
  void decode_padding_isNotLookedAt() throws ProtocolException {
    ByteBuffer bytes =
        ByteBuffer.wrap(
            HexFormat.of().parseHex("000000000030000000000002" + "0000467f" + "0000000000000001"));
    assertThat(RegisterCommand.decode(bytes.duplicate()))
        .isEqualTo(new RegisterCommand(0x300000, 2, 1));
    assertThat(UnregisterCommand.decode(bytes)).isEqualTo(new UnregisterCommand(0x300000, 2, 1));
  }

  private static ByteBuffer command(long first, int block, long chunks) {
    return ByteBuffer.allocate(24).putLong(first).putInt(block).putInt(0).putLong(chunks).flip();
  }
}
