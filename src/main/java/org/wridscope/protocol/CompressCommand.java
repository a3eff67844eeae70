// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * Source to destination, COMPRESS: fill memory with a byte, 24 bytes: u32 value, u32 block, u64
 * address, u64 length ({@code RDMACompress} of QEMU 7.2 migration/rdma.c, which sends value 0 only
 * and never crosses a chunk boundary, although a destination accepts any length).
 *
 * @param value of the byte, 0 to 255
 * @param address the {@link RemoteBlock#offset()} of the block, plus bytes from its start
 * @param length in bytes
 */
public record CompressCommand(int value, int block, long address, long length)
    implements ChunkCommand {

  @Override
  public ControlType type() {
    return ControlType.COMPRESS;
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putInt(value).putInt(block).putLong(address).putLong(length);
  }

  /** Reads {@value #BYTES} bytes at the position. */
  public static CompressCommand decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, "COMPRESS");
    int value = buffer.getInt();
    int block = buffer.getInt();
    long address = buffer.getLong();
    long length = buffer.getLong();
    if (value < 0 || value > 255) {
      throw ProtocolException.ofUnsigned("COMPRESS value", value, "0 to 255");
    }
    Wire.requireBlock(block, RemoteBlock.MAX_BLOCKS, ControlType.COMPRESS);
    if (length <= 0) {
      throw ProtocolException.ofUnsigned("COMPRESS length", length, "1 to " + Long.MAX_VALUE);
    }
    return new CompressCommand(value, block, address, length);
  }

  /**
   * Checks that all bytes lie in the block.
   *
   * @param geometry of the block with this command's index
   * @return the offset of the first byte in the block
   */
  public long resolve(BlockGeometry geometry) throws ProtocolException {
    long byteOffset = geometry.byteOffset(address, "COMPRESS address");
    long room = geometry.length() - byteOffset;
    if (length > room) {
      throw ProtocolException.of(
          "COMPRESS length",
          length,
          "1 to %d from byte %d of RAM block %d".formatted(room, byteOffset, block));
    }
    return byteOffset;
  }
}
