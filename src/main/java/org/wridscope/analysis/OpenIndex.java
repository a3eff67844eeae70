// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/**
 * A coarse index of requests that finds blocks with requests open at a moment. Requests are
 * numbered from 0 in the order of posting.
 */
final class OpenIndex {
  private static final int SHIFT = 10;
  private static final int LAST_END = 0;
  private static final int OPEN = 1;

  private final LongTable blocks;

  /**
   * @param kept number of requests kept
   */
  OpenIndex(long kept) {
    blocks = new LongTable(2, (kept >> SHIFT) + LongTable.SEGMENT);
  }

  void posted(long id) {
    long block = id >> SHIFT;
    if (block == blocks.end()) {
      blocks.add(Long.MIN_VALUE, 0);
    }
    blocks.set(block, OPEN, blocks.get(block, OPEN) + 1);
  }

  void ended(long id, long nanos) {
    long block = id >> SHIFT;
    blocks.set(block, OPEN, blocks.get(block, OPEN) - 1);
    blocks.set(block, LAST_END, Math.max(nanos, blocks.get(block, LAST_END)));
  }

  /** Whether the block of a request may have a request that is open after a moment. */
  boolean mayBeOpenAfter(long nanos, long id) {
    long block = id >> SHIFT;
    return blocks.get(block, LAST_END) > nanos || blocks.get(block, OPEN) != 0;
  }

  /** The first request of the block after that of a request. */
  static long nextBlock(long id) {
    return ((id >> SHIFT) + 1) << SHIFT;
  }
}
