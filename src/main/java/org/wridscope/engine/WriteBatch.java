// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

/**
 * Pieces of RAM that are to be written, in order, and the runs of chunks that have to be registered
 * before. Arrays, so that filling a batch allocates nothing.
 */
final class WriteBatch {
  /** Most pieces of a batch; each lies within one chunk. */
  static final int MAX_PIECES = 1024;

  /**
   * Bytes after which a batch is full: enough to hide a round trip, and few enough to react
   * quickly.
   */
  static final long MAX_BYTES = 64L << 20;

  final int[] block = new int[MAX_PIECES];
  final long[] offset = new long[MAX_PIECES];
  final int[] length = new int[MAX_PIECES];
  int pieces;
  long bytes;

  final int[] runBlock = new int[MAX_PIECES];
  final int[] runFirst = new int[MAX_PIECES];
  final int[] runChunks = new int[MAX_PIECES];
  int runs;

  void clear() {
    pieces = 0;
    bytes = 0;
    runs = 0;
  }

  boolean isEmpty() {
    return pieces == 0;
  }

  boolean isFull() {
    return pieces == MAX_PIECES || bytes >= MAX_BYTES;
  }

  void add(int block, long offset, int length) {
    this.block[pieces] = block;
    this.offset[pieces] = offset;
    this.length[pieces] = length;
    pieces++;
    bytes += length;
  }

  /** Whether a chunk is the last one of the last run. */
  boolean isRegistering(int block, int chunk) {
    return runs > 0
        && runBlock[runs - 1] == block
        && runFirst[runs - 1] + runChunks[runs - 1] - 1 == chunk;
  }

  /** Whether a chunk directly follows the last run. */
  boolean canExtend(int block, int chunk) {
    return runs > 0
        && runBlock[runs - 1] == block
        && runFirst[runs - 1] + runChunks[runs - 1] == chunk;
  }

  int lastRunChunks() {
    return runChunks[runs - 1];
  }

  void extendRun() {
    runChunks[runs - 1]++;
  }

  void beginRun(int block, int chunk) {
    runBlock[runs] = block;
    runFirst[runs] = chunk;
    runChunks[runs] = 1;
    runs++;
  }
}
