// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * Source to destination, REGISTER REQUEST: register these chunks, 24 bytes: u64 address, u32 block,
 * u32 padding, u64 chunks ({@code RDMARegister} of QEMU 7.2 migration/rdma.c).
 *
 * @param address of a byte in the first chunk: the {@link RemoteBlock#offset()} of the block, plus
 *     bytes from the start of the block
 * @param block index in the RAM BLOCKS RESULT
 * @param chunks how many more after the first
 */
public record RegisterCommand(long address, int block, long chunks) {
  public static final int BYTES = 24;

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putLong(address).putInt(block).putInt(0).putLong(chunks);
  }

  /** Reads {@value #BYTES} bytes at the position; QEMU leaves the padding undefined. */
  public static RegisterCommand decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, "REGISTER REQUEST");
    long address = buffer.getLong();
    int block = buffer.getInt();
    buffer.getInt();
    long chunks = buffer.getLong();
    Wire.requireBlock(block, RemoteBlock.MAX_BLOCKS, "REGISTER REQUEST");
    Wire.requireChunk(chunks, "REGISTER REQUEST chunks");
    return new RegisterCommand(address, block, chunks);
  }

  /** How many commands the message has, 1 to {@link ControlHeader#MAX_REPEAT}. */
  public static int requireRepeat(ControlHeader header) throws ProtocolException {
    return Wire.requireRepeat(header, BYTES);
  }

  /**
   * The index of the block.
   *
   * @param blocks how many there are
   */
  public int requireBlock(int blocks) throws ProtocolException {
    return Wire.requireBlock(block, blocks, "REGISTER REQUEST");
  }

  /**
   * The chunks that are meant.
   *
   * @param geometry of the block with this command's index
   */
  public ChunkRun resolve(BlockGeometry geometry) throws ProtocolException {
    long byteOffset = geometry.byteOffset(address, "REGISTER REQUEST address");
    return geometry.run(
        block, byteOffset >> BlockGeometry.CHUNK_SHIFT, chunks, "REGISTER REQUEST chunks");
  }
}
