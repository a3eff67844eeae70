// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.util.List;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

/** The dirty pages of all RAM blocks, with a cursor that visits them in order. */
final class DirtyPages {
  private final List<ChunkTable> tables;
  private final List<DirtyBitmap> bitmaps;
  private int block;
  private long page;

  /** All pages are dirty at first. */
  DirtyPages(List<RamBlock> ram, List<ChunkTable> tables) {
    this.tables = tables;
    bitmaps = ram.stream().map(each -> new DirtyBitmap(each.pages())).toList();
    bitmaps.forEach(DirtyBitmap::setAll);
  }

  /** Tells which pages were written. */
  @FunctionalInterface
  interface Writes {
    /**
     * Adds the pages written since the last call.
     *
     * @param into a bitmap for each RAM block
     */
    void collect(List<DirtyBitmap> into) throws IOException;
  }

  /** Adds the pages that the guest has written to since the last call. */
  void sync(Writes writes) throws IOException {
    writes.collect(bitmaps);
    for (int i = 0; i < bitmaps.size(); i++) {
      markChunks(bitmaps.get(i), tables.get(i));
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
    while (block < bitmaps.size()) {
      long next = bitmaps.get(block).nextSet(page);
      if (next < bitmaps.get(block).pages()) {
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
    return (int) lengthUpTo(firstPageOf(ChunkTable.chunkOf(offset()) + 1));
  }

  /** Bytes that are dirty from the cursor on without a gap, up to a number of bytes. */
  long length(long most) {
    return lengthUpTo(page + (most >> RamBlock.PAGE_SHIFT));
  }

  private long lengthUpTo(long end) {
    DirtyBitmap bitmap = bitmaps.get(block);
    return (bitmap.nextClear(page, Math.min(bitmap.pages(), end)) - page) << RamBlock.PAGE_SHIFT;
  }

  /** Marks bytes at the cursor as clean, and moves it behind them. */
  void clear(long length) {
    long end = page + (length >> RamBlock.PAGE_SHIFT);
    bitmaps.get(block).clear(page, end);
    page = end;
  }
}
