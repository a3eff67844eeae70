// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A RAM block of the destination, an entry of RAM BLOCKS RESULT, 32 bytes: u64 host address, u64
 * offset, u64 length, u32 key, u32 padding ({@code RDMADestBlock} of QEMU 7.2 migration/rdma.c).
 * The position in the list is the block's index in all other messages.
 *
 * @param hostAddress of the first byte, the base of RDMA WRITEs
 * @param offset what the first byte is called in REGISTER and COMPRESS; the destination chooses any
 *     number, and two blocks may have the same
 * @param length in bytes
 * @param remoteKey of the whole block with pin-all, otherwise 0
 */
public record RemoteBlock(long hostAddress, long offset, long length, int remoteKey) {
  public static final int BYTES = 32;

  /** Most blocks that fit a message: 16383. */
  public static final int MAX_BLOCKS = ControlHeader.MAX_PAYLOAD / BYTES;

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putLong(hostAddress).putLong(offset).putLong(length).putInt(remoteKey).putInt(0);
  }

  /** Writes a list of at most {@link #MAX_BLOCKS} at the position. */
  public static void encodeList(List<RemoteBlock> blocks, ByteBuffer buffer) {
    if (blocks.size() > MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "%d RAM blocks: at most %d fit a message".formatted(blocks.size(), MAX_BLOCKS));
    }
    for (int i = 0; i < blocks.size(); i++) {
      blocks.get(i).encode(buffer);
    }
  }

  /**
   * Reads a list at the position.
   *
   * @param payloadLength bytes of the list, from the header
   * @param expectedBlocks number of this side's blocks, which must be the peer's, too
   */
  public static List<RemoteBlock> decodeList(
      ByteBuffer payload, int payloadLength, int expectedBlocks) throws ProtocolException {
    if (payloadLength < 0 || payloadLength > MAX_BLOCKS * BYTES || payloadLength % BYTES != 0) {
      throw ProtocolException.of(
          "RAM BLOCKS RESULT length",
          payloadLength,
          "a multiple of %d, up to %d".formatted(BYTES, MAX_BLOCKS * BYTES));
    }
    if (payloadLength / BYTES != expectedBlocks) {
      throw ProtocolException.of(
          "number of RAM blocks of the destination",
          payloadLength / BYTES,
          expectedBlocks + ", the number of the source");
    }
    Wire.requireBytes(payload, payloadLength, "RAM BLOCKS RESULT");
    List<RemoteBlock> blocks = new ArrayList<>(expectedBlocks);
    for (int i = 0; i < expectedBlocks; i++) {
      blocks.add(decode(payload, i));
    }
    return List.copyOf(blocks);
  }

  private static RemoteBlock decode(ByteBuffer buffer, int index) throws ProtocolException {
    RemoteBlock block =
        new RemoteBlock(buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getInt());
    buffer.getInt();
    if (block.length <= 0) {
      throw ProtocolException.ofUnsigned(
          "length of RAM block " + index, block.length, "1 to " + Long.MAX_VALUE);
    }
    if (Long.compareUnsigned(block.hostAddress, -block.length) >= 0) {
      throw ProtocolException.ofAddress(
          "host address of RAM block " + index,
          block.hostAddress,
          "below 0x%x, for %d bytes to fit above".formatted(-block.length, block.length));
    }
    if (Long.compareUnsigned(block.offset, -block.length) >= 0) {
      throw ProtocolException.ofAddress(
          "offset of RAM block " + index,
          block.offset,
          "below 0x%x, for %d bytes to fit above".formatted(-block.length, block.length));
    }
    return block;
  }

  /**
   * Checks that the block has a key, which it must with pin-all.
   *
   * @param index of this block, for the message
   */
  public void requireKey(int index) throws ProtocolException {
    if (remoteKey == 0) {
      throw ProtocolException.of(
          "remote key of RAM block " + index, 0, "not 0 when all memory is pinned");
    }
  }
}
