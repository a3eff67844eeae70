// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * Source to destination, UNREGISTER REQUEST: give these chunks back, 24 bytes: u64 chunk, u32
 * block, u32 padding, u64 chunks ({@code RDMARegister} of QEMU 7.2 migration/rdma.c).
 *
 * @param chunk number of the first chunk
 * @param block index in the RAM BLOCKS RESULT
 * @param chunks how many more after the first; QEMU does not look at it
 */
public record UnregisterCommand(long chunk, int block, long chunks) {
  public static final int BYTES = 24;

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.requireOrder(buffer);
    buffer.putLong(chunk).putInt(block).putInt(0).putLong(chunks);
  }

  /** Reads {@value #BYTES} bytes at the position; QEMU leaves the padding undefined. */
  public static UnregisterCommand decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, "UNREGISTER REQUEST");
    long chunk = buffer.getLong();
    int block = buffer.getInt();
    buffer.getInt();
    long chunks = buffer.getLong();
    Wire.requireChunk(chunk, "UNREGISTER REQUEST chunk");
    Wire.requireBlock(block, RemoteBlock.MAX_BLOCKS, "UNREGISTER REQUEST");
    Wire.requireChunk(chunks, "UNREGISTER REQUEST chunks");
    return new UnregisterCommand(chunk, block, chunks);
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
    return Wire.requireBlock(block, blocks, "UNREGISTER REQUEST");
  }

  /**
   * The chunks that are meant.
   *
   * @param geometry of the block with this command's index
   */
  public ChunkRun resolve(BlockGeometry geometry) throws ProtocolException {
    long last = geometry.chunks() - 1;
    if (chunk > last) {
      throw ProtocolException.of(
          "UNREGISTER REQUEST chunk", chunk, "0 to %d in RAM block %d".formatted(last, block));
    }
    return geometry.run(block, chunk, chunks, "UNREGISTER REQUEST chunks");
  }
}
