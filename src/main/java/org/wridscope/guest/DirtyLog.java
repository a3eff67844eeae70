// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.List;
import org.wridscope.memory.DirtyBitmap;

/**
 * Records which pages of {@value org.wridscope.memory.RamBlock#PAGE_SIZE} bytes a guest writes. A
 * page is marked after it was written, so that a page fetched here and then copied is either copied
 * with that write or marked again.
 */
public interface DirtyLog {

  /** Starts recording. The first fetch reports only what was written since. */
  void start();

  /** Stops recording, and discards what was recorded. */
  void stop();

  /**
   * Moves what was recorded to a bitmap: each page written is set in {@code into}, whose other bits
   * do not change.
   *
   * @param block index of the RAM block
   */
  void fetchAndClear(int block, DirtyBitmap into);

  /**
   * {@link #fetchAndClear(int, DirtyBitmap)} for all RAM blocks.
   *
   * @param into a bitmap for each block
   */
  default void fetchAndClear(List<DirtyBitmap> into) {
    for (int block = 0; block < into.size(); block++) {
      fetchAndClear(block, into.get(block));
    }
  }
}
