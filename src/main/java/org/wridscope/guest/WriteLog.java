// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

/**
 * The dirty log of threads that write to one range of one block. It has a bit for each page of that
 * range, but only while it records.
 */
final class WriteLog implements DirtyLog {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final List<RamBlock> blocks;
  private final int writtenBlock;
  private final Runnable settle;
  private int firstWord;
  private int wordCount;
  private volatile long @Nullable [] words;

  /**
   * @param writtenBlock index of the block that the threads write to
   * @param settle waits until every write that had begun is complete
   */
  WriteLog(List<RamBlock> blocks, int writtenBlock, Runnable settle) {
    this.blocks = blocks;
    this.writtenBlock = writtenBlock;
    this.settle = settle;
  }

  /** Sets the range to which the threads write. */
  void cover(long firstPage, long pages) {
    firstWord = (int) (firstPage >> 6);
    wordCount = (int) (((firstPage + pages + 63) >> 6) - firstWord);
  }

  @Override
  public void start() {
    words = new long[wordCount];
    // A write that began before is not marked, and may not be visible yet to a thread that copies.
    settle.run();
  }

  @Override
  public void stop() {
    words = null;
  }

  /** Marks a page after it was written; for the guest's threads. */
  void mark(long page) {
    long[] words = this.words;
    if (words != null) {
      // Even if the bit is set: it may be cleared before the write is visible to that thread.
      var _ = (long) WORDS.getAndBitwiseOr(words, (int) (page >> 6) - firstWord, 1L << page);
    }
  }

  @Override
  public void fetchAndClear(int block, DirtyBitmap into) {
    long pages = blocks.get(block).pages();
    if (into.pages() != pages) {
      throw new IllegalArgumentException(
          "block %s has %d pages, the bitmap %d"
              .formatted(blocks.get(block).name(), pages, into.pages()));
    }
    long[] words = this.words;
    if (words == null || block != writtenBlock) {
      return;
    }
    for (int i = 0; i < words.length; i++) {
      if ((long) WORDS.getOpaque(words, i) != 0) {
        into.or(firstWord + i, (long) WORDS.getAndSet(words, i, 0L));
      }
    }
  }
}
