// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

/**
 * Offset and length of a destination's own RAM block, against which commands are checked.
 *
 * @param offset that the destination gave the source, see {@link RemoteBlock#offset()}
 * @param length in bytes, at least 1
 */
public record BlockGeometry(long offset, long length) {
  /** {@code RDMA_REG_CHUNK_SHIFT} of QEMU: a chunk is 1 MiB. */
  static final int CHUNK_SHIFT = 20;

  private static final long MAX_LENGTH = (WorkRequestId.MAX_CHUNK + 1) << CHUNK_SHIFT;

  public BlockGeometry {
    if (length < 1 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "RAM block length %d: 1 to %d are allowed".formatted(length, MAX_LENGTH));
    }
    if (Long.compareUnsigned(offset, -length) >= 0) {
      throw new IllegalArgumentException(
          "RAM block offset 0x%x: %d bytes do not fit above".formatted(offset, length));
    }
  }

  /** Number of chunks; the last may be shorter than the others. */
  public long chunks() {
    return ((length - 1) >> CHUNK_SHIFT) + 1;
  }

  /** Offset of an address in the block, in bytes. */
  long byteOffset(long address, String field) throws ProtocolException {
    long byteOffset = address - offset;
    if (Long.compareUnsigned(address, offset) < 0
        || Long.compareUnsigned(byteOffset, length) >= 0) {
      throw ProtocolException.ofAddress(
          field, address, "0x%x to 0x%x".formatted(offset, offset + length - 1));
    }
    return byteOffset;
  }

  /** The run of chunks, once it is known to lie in the block. */
  ChunkRun run(int block, long first, long additional, String field) throws ProtocolException {
    long last = chunks() - 1;
    if (additional < 0 || additional > last - first) {
      throw ProtocolException.ofUnsigned(
          field,
          additional,
          "0 to %d after chunk %d of RAM block %d".formatted(last - first, first, block));
    }
    return new ChunkRun(block, first, additional + 1);
  }
}
