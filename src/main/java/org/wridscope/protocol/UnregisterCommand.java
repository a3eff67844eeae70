// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * Source to destination, UNREGISTER REQUEST: deregister these chunks, 24 bytes: u64 chunk, u32
 * block, u32 padding, u64 chunks ({@code RDMARegister} of QEMU 7.2 migration/rdma.c).
 *
 * @param chunk number of the first chunk
 * @param chunks number of chunks after the first; QEMU ignores it
 */
public record UnregisterCommand(long chunk, int block, long chunks) implements ChunkCommand {

  @Override
  public ControlType type() {
    return ControlType.UNREGISTER_REQUEST;
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.putRegister(buffer, chunk, block, chunks);
  }

  /** Reads {@value #BYTES} bytes at the position; QEMU leaves the padding undefined. */
  public static UnregisterCommand decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, ControlType.UNREGISTER_REQUEST.text());
    return new UnregisterCommand(
        Wire.getChunk(buffer, "UNREGISTER REQUEST chunk"),
        Wire.getPaddedBlock(buffer, ControlType.UNREGISTER_REQUEST),
        Wire.getChunk(buffer, "UNREGISTER REQUEST chunks"));
  }

  /**
   * Checks that the chunks lie in the block.
   *
   * @param geometry of the block with this command's index
   * @return the chunks to deregister
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
