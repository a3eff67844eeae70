// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.guest.qemu.KnownSettings;
import org.wridscope.memory.ChunkTable;

/**
 * Whether the destination's chunks are as large as ours. QEMU 11.1 and later can be given larger
 * ones. No message of the protocol has the size, but the keys show it. Chunks of 1 MiB that form an
 * aligned pair lie in one chunk of every larger size, which has one key.
 *
 * <p>Until two keys of a pair are known to differ, each chunk is registered by itself: its key then
 * covers it with any size of the destination's chunks. A run could begin in a chunk that is
 * registered already, without the rest of the run. And nothing is unregistered, since UNREGISTER
 * names chunks by their numbers, which QEMU does not check.
 */
final class DestinationChunks {
  /** What explains a write that is refused; a sentence with a space before it. */
  static final String ADVICE =
      " If the source is a QEMU 11.1 or later, set its parameter %s to %d, the size of the chunks here, or migrate with rdma-pin-all."
          .formatted(KnownSettings.CHUNK_SIZE, KnownSettings.DEFAULT_CHUNK_SIZE);

  private volatile boolean ours;

  /**
   * @param ours whether their size is known to be ours, as that of a Wridscope
   */
  DestinationChunks(boolean ours) {
    this.ours = ours;
  }

  /** Whether they are known to have our size; from any thread. */
  boolean areOurs() {
    return ours;
  }

  /** Most chunks of a registration. */
  int mostOfARun() {
    return ours ? RamSender.MAX_RUN_CHUNKS : 1;
  }

  /** Notes that the destination gave a key for a chunk that was registered by itself. */
  void given(ChunkTable table, int chunk) {
    int other = chunk ^ 1;
    if (!ours && other < table.chunkCount()) {
      int key = table.remoteKey(other);
      ours = key != 0 && key != table.remoteKey(chunk);
    }
  }
}
