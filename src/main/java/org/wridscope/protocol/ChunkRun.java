// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

/**
 * Consecutive chunks that are known to lie in a RAM block.
 *
 * @param block index of the block
 * @param first number of the first chunk
 * @param chunks number of chunks, at least 1
 */
public record ChunkRun(int block, long first, long chunks) {

  /** Number of the last chunk. */
  public long last() {
    return first + chunks - 1;
  }
}
