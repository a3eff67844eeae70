// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

import java.nio.ByteBuffer;

/**
 * Source to destination, REGISTER REQUEST: register these chunks, 24 bytes: u64 address, u32 block,
 * u32 padding, u64 chunks ({@code RDMARegister} of QEMU 7.2 migration/rdma.c).
 *
 * @param address of a byte in the first chunk: the {@link RemoteBlock#offset()} of the block, plus
 *     bytes from the start of the block
 * @param chunks number of chunks after the first
 */
public record RegisterCommand(long address, int block, long chunks) implements ChunkCommand {

  @Override
  public ControlType type() {
    return ControlType.REGISTER_REQUEST;
  }

  /** Writes {@value #BYTES} bytes at the position. */
  public void encode(ByteBuffer buffer) {
    Wire.putRegister(buffer, address, block, chunks);
  }

  /** Reads {@value #BYTES} bytes at the position; QEMU leaves the padding undefined. */
  public static RegisterCommand decode(ByteBuffer buffer) throws ProtocolException {
    Wire.requireBytes(buffer, BYTES, ControlType.REGISTER_REQUEST.text());
    return new RegisterCommand(
        buffer.getLong(),
        Wire.getPaddedBlock(buffer, ControlType.REGISTER_REQUEST),
        Wire.getChunk(buffer, "REGISTER REQUEST chunks"));
  }

  /**
   * Checks the address and the number of chunks.
   *
   * @param geometry of the block with this command's index
   * @return the chunks to register
   */
  public ChunkRun resolve(BlockGeometry geometry) throws ProtocolException {
    long byteOffset = geometry.byteOffset(address, "REGISTER REQUEST address");
    return geometry.run(
        block, byteOffset >> BlockGeometry.CHUNK_SHIFT, chunks, "REGISTER REQUEST chunks");
  }
}
