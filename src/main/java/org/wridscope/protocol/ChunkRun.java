// SPDX-License-Identifier: Apache-2.0
package org.wridscope.protocol;

/**
 * Chunks of a RAM block that follow one another and are known to lie in the block.
 *
 * @param block index of the block
 * @param first number of the first chunk
 * @param chunks how many, at least 1
 */
public record ChunkRun(int block, long first, long chunks) {

  /** Number of the last chunk. */
  public long last() {
    return first + chunks - 1;
  }
}
