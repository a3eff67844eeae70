// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.util.Arrays;

/** One bit for each page of a RAM block. Not thread-safe. */
public final class DirtyBitmap {
  private final long pages;
  private final long[] words;

  /**
   * @param pages of the block, at least 1
   */
  public DirtyBitmap(long pages) {
    this.pages = pages;
    words = new long[Math.toIntExact((pages + 63) >> 6)];
  }

  public long pages() {
    return pages;
  }

  /** Words of 64 pages each. */
  public int wordCount() {
    return words.length;
  }

  /** Sets each page whose bit is set in {@code bits}, the first one being page 64 times word. */
  public void or(int word, long bits) {
    words[word] |= bits;
  }

  public void set(long page) {
    words[(int) (page >> 6)] |= 1L << page;
  }

  public boolean get(long page) {
    return (words[(int) (page >> 6)] & 1L << page) != 0;
  }

  /** Sets every page. */
  public void setAll() {
    Arrays.fill(words, -1L);
    if ((pages & 63) != 0) {
      words[words.length - 1] = (1L << pages) - 1;
    }
  }

  /** Clears the pages from {@code from} to before {@code to}. */
  public void clear(long from, long to) {
    if (from >= to) {
      return;
    }
    int first = (int) (from >> 6);
    int last = (int) ((to - 1) >> 6);
    long head = -1L << from;
    long tail = -1L >>> -to;
    if (first == last) {
      words[first] &= ~(head & tail);
    } else {
      words[first] &= ~head;
      Arrays.fill(words, first + 1, last, 0);
      words[last] &= ~tail;
    }
  }

  /** The first set page at or after {@code from}, or {@link #pages()} when there is none. */
  public long nextSet(long from) {
    return next(from, 0);
  }

  /** The first clear page at or after {@code from}, or {@link #pages()} when there is none. */
  public long nextClear(long from) {
    return next(from, -1);
  }

  private long next(long from, long inverted) {
    if (from >= pages) {
      return pages;
    }
    int i = (int) (from >> 6);
    long word = (words[i] ^ inverted) & -1L << from;
    while (word == 0) {
      if (++i == words.length) {
        return pages;
      }
      word = words[i] ^ inverted;
    }
    return Math.min(pages, ((long) i << 6) + Long.numberOfTrailingZeros(word));
  }

  /** How many pages are set. */
  public long count() {
    long count = 0;
    for (long word : words) {
      count += Long.bitCount(word);
    }
    return count;
  }
}
