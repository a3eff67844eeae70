// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.util.List;
import org.wridscope.guest.DirtyLog;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

/** The dirty pages of all RAM blocks, with a cursor that visits them in order. */
final class DirtyPages {
  private final List<ChunkTable> tables;
  private final DirtyBitmap[] bitmaps;
  private int block;
  private long page;

  /** All pages are dirty at first. */
  DirtyPages(List<RamBlock> ram, List<ChunkTable> tables) {
    this.tables = tables;
    bitmaps = new DirtyBitmap[ram.size()];
    for (int i = 0; i < bitmaps.length; i++) {
      bitmaps[i] = new DirtyBitmap(ram.get(i).pages());
      bitmaps[i].setAll();
    }
  }

  /** Adds the pages that the guest has written to since the last call. */
  void sync(DirtyLog log) {
    for (int i = 0; i < bitmaps.length; i++) {
      log.fetchAndClear(i, bitmaps[i]);
      markChunks(bitmaps[i], tables.get(i));
    }
  }

  private static void markChunks(DirtyBitmap bitmap, ChunkTable table) {
    long next = bitmap.nextSet(0);
    while (next < bitmap.pages()) {
      int chunk = ChunkTable.chunkOf(next << RamBlock.PAGE_SHIFT);
      table.setState(chunk, ChunkState.DIRTY_AGAIN);
      next = bitmap.nextSet(firstPageOf(chunk + 1));
    }
  }

  private static long firstPageOf(int chunk) {
    return ChunkTable.offsetOf(chunk) >> RamBlock.PAGE_SHIFT;
  }

  /** Bytes that are dirty. */
  long bytes() {
    long pages = 0;
    for (DirtyBitmap bitmap : bitmaps) {
      pages += bitmap.count();
    }
    return pages << RamBlock.PAGE_SHIFT;
  }

  /** Moves the cursor to the beginning. */
  void rewind() {
    block = 0;
    page = 0;
  }

  /** Moves the cursor to the next dirty page, unless it is at one; false if there is none. */
  boolean find() {
    while (block < bitmaps.length) {
      long next = bitmaps[block].nextSet(page);
      if (next < bitmaps[block].pages()) {
        page = next;
        return true;
      }
      block++;
      page = 0;
    }
    return false;
  }

  /** The block at the cursor. */
  int block() {
    return block;
  }

  /** Offset of the cursor in its block, in bytes. */
  long offset() {
    return page << RamBlock.PAGE_SHIFT;
  }

  /** Bytes that are dirty from the cursor on without a gap, up to the end of the chunk. */
  int length() {
    long end = firstPageOf(ChunkTable.chunkOf(offset()) + 1);
    return (int) ((Math.min(bitmaps[block].nextClear(page), end) - page) << RamBlock.PAGE_SHIFT);
  }

  /** Marks bytes at the cursor as clean, and moves it behind them. */
  void clear(int length) {
    long end = page + (length >> RamBlock.PAGE_SHIFT);
    bitmaps[block].clear(page, end);
    page = end;
  }
}
