// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import org.wridscope.memory.DirtyBitmap;

/**
 * Records which pages of {@value org.wridscope.memory.RamBlock#PAGE_SIZE} bytes a guest writes. A
 * page is marked after it was written, so that a page fetched here and then copied is either copied
 * with that write or marked again.
 */
public interface DirtyLog {

  /** Begins to record. The first fetch afterwards reports only what was written since. */
  void start();

  /** Stops recording; what was recorded is forgotten. */
  void stop();

  /**
   * Moves what was recorded into a bitmap, and forgets it: each page written is set in {@code
   * into}, whose other bits stay as they are.
   *
   * @param block index of the RAM block
   */
  void fetchAndClear(int block, DirtyBitmap into);
}
