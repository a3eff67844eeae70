// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/**
 * Ranges of zeros that are to be sent as commands of one COMPRESS message. Arrays, so that adding a
 * range allocates nothing.
 */
final class ZeroRanges {
  private static final int MAX = ControlChannel.MAX_COMMANDS;

  final int[] block = new int[MAX];
  final long[] offset = new long[MAX];
  final long[] length = new long[MAX];
  int count;

  /** Extends the last range, if this one follows it directly; returns whether it did. */
  boolean extend(int block, long offset, long length) {
    int last = count - 1;
    boolean follows =
        last >= 0 && this.block[last] == block && this.offset[last] + this.length[last] == offset;
    if (follows) {
      this.length[last] += length;
    }
    return follows;
  }

  void add(int block, long offset, long length) {
    this.block[count] = block;
    this.offset[count] = offset;
    this.length[count] = length;
    count++;
  }

  void clear() {
    count = 0;
  }
}
