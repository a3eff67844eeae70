// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.protocol.Rejections.assertRejected;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Messages as two QEMU 7.2 sent them over soft-RoCE: {@code -machine pc -m 64 -vga std}, eight RAM
 * blocks.
 */
final class RecordedMessagesTest {
  private static final HexFormat HEX = HexFormat.of();

  /** The first of eight blocks, which is all that was recorded. */
  private static final String BLOCKS =
      "00007f6243e00000 0000000000000000 0000000004000000 00000000 00000000"
          + "00007f6271a00000 0000000004080000 0000000001000000 00000000 00000000"
          + "00007f6271400000 00000000050c0000 0000000000020000 00000000 00000000";

  private static final String PINNED_BLOCKS =
      "00007fdd17e00000 0000000000000000 0000000004000000 0005d090 00000000"
          + "00007fdd45000000 0000000004080000 0000000001000000 0005ed60 00000000"
          + "00007fdd44a00000 00000000050c0000 0000000000020000 0005f170 00000000";

  @ParameterizedTest
  @CsvSource({
    "00000000 00000002 00000001 00000000, READY, 0, 1",
    "000000fa 00000003 00000001 00000000, QEMU_FILE, 250, 1",
    "00000000 00000004 00000001 00000000, RAM_BLOCKS_REQUEST, 0, 1",
    "00000100 00000005 00000001 00000000, RAM_BLOCKS_RESULT, 256, 1",
    "00000018 00000006 00000001 00000000, COMPRESS, 24, 1",
    "00000018 00000007 00000001 00000000, REGISTER_REQUEST, 24, 1",
    "00000010 00000008 00000007 00000000, REGISTER_RESULT, 16, 7",
    "00000000 00000009 00000001 00000000, REGISTER_FINISHED, 0, 1",
    "00000048 0000000a 00000003 00000000, UNREGISTER_REQUEST, 72, 3",
    "00000000 0000000b 00000003 00000000, UNREGISTER_FINISHED, 0, 3",
    "00000000 00000001 00000001 00000000, ERROR, 0, 1",
  })
  void headers(String hex, ControlType type, int length, int repeat) throws ProtocolException {
    ControlHeader header = ControlHeader.decode(bytes(hex), length + 16);

    assertThat(header).isEqualTo(new ControlHeader(length, type, repeat));
    ByteBuffer again = ByteBuffer.allocate(16);
    header.encode(again);
    assertThat(again.flip()).isEqualTo(bytes(hex));
  }

  @Test
  void ramBlocksResult() throws ProtocolException {
    List<RemoteBlock> blocks = RemoteBlock.decodeList(bytes(BLOCKS), 96, 3);

    assertThat(blocks)
        .containsExactly(
            new RemoteBlock(0x7f6243e00000L, 0, 64 << 20, 0),
            new RemoteBlock(0x7f6271a00000L, 0x4080000, 16 << 20, 0),
            new RemoteBlock(0x7f6271400000L, 0x50c0000, 128 << 10, 0));
    ByteBuffer again = ByteBuffer.allocate(96);
    RemoteBlock.encodeList(blocks, again);
    assertThat(again.flip()).isEqualTo(bytes(BLOCKS));
  }

  @Test
  void ramBlocksResult_pinAll_hasKeys() throws ProtocolException {
    List<RemoteBlock> blocks = RemoteBlock.decodeList(bytes(PINNED_BLOCKS), 96, 3);

    for (int i = 0; i < blocks.size(); i++) {
      blocks.get(i).requireKey(i);
    }
    assertThat(blocks)
        .extracting(RemoteBlock::remoteKey)
        .containsExactly(0x5d090, 0x5ed60, 0x5f170);
  }

  /** With uninitialized padding. */
  @Test
  void registerRequest() throws ProtocolException {
    RegisterCommand command =
        RegisterCommand.decode(bytes("0000000000300000 00000000 00001100 0000000000000000"));

    assertThat(command).isEqualTo(new RegisterCommand(0x300000, 0, 0));
    assertThat(command.resolve(new BlockGeometry(0, 64 << 20))).isEqualTo(new ChunkRun(0, 3, 1));
  }

  @Test
  void registerResult() throws ProtocolException {
    RegisterResult result = RegisterResult.decode(bytes("00003dd0 00000000 00007f6243e00000"));

    assertThat(result).isEqualTo(new RegisterResult(0x3dd0, 0x7f6243e00000L));
    result.requireHostAddress(RemoteBlock.decodeList(bytes(BLOCKS), 96, 3).get(0).hostAddress());
  }

  /** The answer to seven commands has one result. */
  @Test
  void registerResult_toSevenCommands_isRejected() throws ProtocolException {
    ControlHeader header = ControlHeader.decode(bytes("00000010 00000008 00000007 00000000"), 32);

    assertRejected(
        () -> RegisterResult.requireRepeat(header, 7),
        "REGISTER RESULT length",
        16,
        "112, for 7 commands");
  }

  @Test
  void compress() throws ProtocolException {
    CompressCommand command =
        CompressCommand.decode(bytes("00000000 00000000 0000000000101000 00000000000ff000"));

    assertThat(command).isEqualTo(new CompressCommand(0, 0, 0x101000, 0xff000));
    assertThat(command.resolve(new BlockGeometry(0, 64 << 20))).isEqualTo(0x101000);
  }

  @Test
  void unregisterRequest_threeCommands_areRead() throws ProtocolException {
    ByteBuffer message =
        bytes(
            "00000048 0000000a 00000003 00000000"
                + "0000000000000002 00000000 00000000 0000000000000000"
                + "0000000000000003 00000000 00000000 0000000000000000"
                + "0000000000000004 00000000 00000000 0000000000000000");
    BlockGeometry block = new BlockGeometry(0, 64 << 20);

    ControlHeader header = ControlHeader.decode(message, message.remaining());

    assertThat(ChunkCommand.requireRepeat(header)).isEqualTo(3);
    for (int chunk = 2; chunk <= 4; chunk++) {
      assertThat(UnregisterCommand.decode(message).resolve(block))
          .isEqualTo(new ChunkRun(0, chunk, 1));
    }
    assertThat(message.hasRemaining()).isFalse();
  }

  private static ByteBuffer bytes(String hex) {
    return ByteBuffer.wrap(HEX.parseHex(hex.replace(" ", "")));
  }
}
