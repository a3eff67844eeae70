// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.util.Arrays;
import java.util.Objects;

/** One bit for each page of a RAM block, 32 bytes per chunk. Not thread-safe. */
public final class DirtyBitmap {
  private final long pages;
  private final long[] words;

  /**
   * @param pages of the block, at least 1
   */
  public DirtyBitmap(long pages) {
    if (pages < 1) {
      throw new IllegalArgumentException("a block of %d pages has no bitmap".formatted(pages));
    }
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

  /**
   * Sets each page whose bit is set in {@code bits}, the lowest of which is of page {@code 64 *
   * word}. Bits beyond the last page are ignored.
   */
  public void or(int word, long bits) {
    words[word] |= word == words.length - 1 ? bits & lastWordMask() : bits;
  }

  public void set(long page) {
    Objects.checkIndex(page, pages);
    words[(int) (page >> 6)] |= 1L << page;
  }

  public boolean get(long page) {
    Objects.checkIndex(page, pages);
    return (words[(int) (page >> 6)] & 1L << page) != 0;
  }

  // Java shifts by the count modulo 64, so this is -1 if the last word is full.
  private long lastWordMask() {
    return -1L >>> -pages;
  }

  /** Sets every page. */
  public void setAll() {
    Arrays.fill(words, -1L);
    words[words.length - 1] = lastWordMask();
  }

  /** Clears the pages in {@code [from, to)}. */
  public void clear(long from, long to) {
    Objects.checkFromToIndex(from, to, pages);
    if (from == to) {
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

  /** The first set page at or after {@code from}, or {@link #pages()} if there is none. */
  public long nextSet(long from) {
    return next(from, pages, 0);
  }

  /** The first set page in {@code [from, to)}, or {@code to} if there is none. */
  public long nextSet(long from, long to) {
    return next(from, to, 0);
  }

  /** The first clear page at or after {@code from}, or {@link #pages()} if there is none. */
  public long nextClear(long from) {
    return nextClear(from, pages);
  }

  /** The first clear page in {@code [from, to)}, or {@code to} if there is none. */
  public long nextClear(long from, long to) {
    return next(from, to, -1);
  }

  private long next(long from, long to, long inverted) {
    if (from >= to) {
      return to;
    }
    int last = (int) ((to - 1) >> 6);
    int i = (int) (from >> 6);
    long word = (words[i] ^ inverted) & -1L << from;
    while (word == 0) {
      if (++i > last) {
        return to;
      }
      word = words[i] ^ inverted;
    }
    return Math.min(to, ((long) i << 6) + Long.numberOfTrailingZeros(word));
  }

  /** Number of pages that are set. */
  public long count() {
    long count = 0;
    for (long word : words) {
      count += Long.bitCount(word);
    }
    return count;
  }
}
