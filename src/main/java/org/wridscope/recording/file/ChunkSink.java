// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.file;

import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;

/** Receives runs of neighbouring chunks in the same state. */
@FunctionalInterface
public interface ChunkSink {
  /** Receives the chunks from {@code from}, inclusive, to {@code to}, exclusive. */
  void run(
      int block,
      int from,
      int to,
      ChunkState state,
      ChunkRelease release,
      int inTransit,
      int timesSent,
      int localKey,
      int remoteKey);
}
