// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.replay;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.recording.file.SessionIndex;
import org.wridscope.recording.file.SessionIndex.VirtioBlock;

/** Finds the state of the virtio devices at a moment. */
final class VirtioReplay {
  private @Nullable VirtioSnapshot last;

  private VirtioReplay() {}

  /**
   * The last snapshot at or before a moment of the file's clock; null when there is none.
   *
   * @throws IOException when the file cannot be read
   */
  static @Nullable VirtioSnapshot at(SessionIndex index, long nanos, BlockReader reader)
      throws IOException {
    int block = Search.lastAt(index.virtioBlocks(), VirtioBlock::firstNanos, nanos);
    if (block < 0) {
      return null;
    }
    var found = new VirtioReplay();
    SessionIndex.snapshots(
        reader.payload(index.virtioBlocks().get(block).place()),
        (at, snapshot) -> {
          if (at <= nanos) {
            found.last = snapshot;
          }
          return at <= nanos;
        });
    return found.last;
  }
}
