// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is to be known of each chunk of a block, 13 bytes a chunk, in pages of {@value #PAGE}
 * chunks. Pages of which the same is to be known may be one and the same, and are copied before
 * they are written to: a block of which nothing has been said, or the same of all chunks, takes no
 * more than four bytes for each page, however long it is said to be.
 *
 * <p>One thread writes, any may read.
 */
final class ChunkColumns {
  /** Chunks of a page; a power of two. */
  static final int PAGE = 64;

  private static final int SHIFT = Integer.numberOfTrailingZeros(PAGE);

  private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(Page[].class);
  private static final Page UNTOUCHED = untouched();

  private final int chunks;
  private final Page[] pages;

  /** Some chunks; what stands behind the last chunk of a block is as if it were untouched. */
  static final class Page {
    final byte[] states;
    final short[] inTransit;
    final short[] timesSent;
    final int[] localKeys;
    final int[] remoteKeys;

    /** Whether it may be in more than one place, so that nobody may write to it. */
    private boolean shared;

    private Page() {
      states = new byte[PAGE];
      inTransit = new short[PAGE];
      timesSent = new short[PAGE];
      localKeys = new int[PAGE];
      remoteKeys = new int[PAGE];
    }

    private Page(Page from) {
      states = from.states.clone();
      inTransit = from.inTransit.clone();
      timesSent = from.timesSent.clone();
      localKeys = from.localKeys.clone();
      remoteKeys = from.remoteKeys.clone();
    }

    /** The first chunk from {@code from} to before {@code to} that differs, or {@code to}. */
    private int mismatch(Page other, int from, int to) {
      int first = to;
      first = earlier(first, from, Arrays.mismatch(states, from, first, other.states, from, first));
      first =
          earlier(
              first, from, Arrays.mismatch(inTransit, from, first, other.inTransit, from, first));
      first =
          earlier(
              first, from, Arrays.mismatch(timesSent, from, first, other.timesSent, from, first));
      first =
          earlier(
              first, from, Arrays.mismatch(localKeys, from, first, other.localKeys, from, first));
      return earlier(
          first, from, Arrays.mismatch(remoteKeys, from, first, other.remoteKeys, from, first));
    }

    private static int earlier(int first, int from, int mismatch) {
      return mismatch < 0 ? first : from + mismatch;
    }
  }

  /** Changes one chunk, by what was known of it and of nothing else. */
  @FunctionalInterface
  interface Change {
    void apply(Page page, int at);
  }

  ChunkColumns(int chunks) {
    this.chunks = chunks;
    pages = new Page[Math.ceilDiv(chunks, PAGE)];
    clear();
  }

  private static Page untouched() {
    var page = new Page();
    page.shared = true;
    return page;
  }

  int chunks() {
    return chunks;
  }

  /** The page of a chunk, to be read from. */
  Page of(int chunk) {
    return (Page) PAGES.getAcquire(pages, chunk >> SHIFT);
  }

  /** Where a chunk is in its page. */
  static int at(int chunk) {
    return chunk & (PAGE - 1);
  }

  /** The page of a chunk, to be written to. */
  Page own(int chunk) {
    int number = chunk >> SHIFT;
    Page page = pages[number];
    if (page.shared) {
      page = new Page(page);
      PAGES.setRelease(pages, number, page);
    }
    return page;
  }

  /** Changes a run of chunks; pages that were one and the same, and change as a whole, stay so. */
  void change(int from, int to, Change change) {
    @Nullable Page before = null;
    @Nullable Page after = null;
    int chunk = from;
    while (chunk < to) {
      int end = Math.min(to, (chunk | (PAGE - 1)) + 1);
      Page page = pages[chunk >> SHIFT];
      boolean whole = at(chunk) == 0 && end - chunk == PAGE;
      if (whole && page.shared && page == before && after != null) {
        PAGES.setRelease(pages, chunk >> SHIFT, after);
      } else {
        boolean wasShared = page.shared;
        Page own = own(chunk);
        for (int i = chunk; i < end; i++) {
          change.apply(own, at(i));
        }
        if (whole && wasShared) {
          own.shared = true;
          before = page;
          after = own;
        }
      }
      chunk = end;
    }
  }

  /** Makes it the same as another one of as many chunks. */
  void become(ChunkColumns other) {
    for (int i = 0; i < pages.length; i++) {
      Page page = other.pages[i];
      page.shared = true;
      PAGES.setRelease(pages, i, page);
    }
  }

  /** The first chunk from {@code from} on that differs, the number of chunks when none does. */
  int mismatch(ChunkColumns other, int from) {
    int chunk = from;
    while (chunk < chunks) {
      int end = Math.min(chunks, (chunk | (PAGE - 1)) + 1);
      Page mine = of(chunk);
      Page its = other.of(chunk);
      if (mine != its) {
        int first = chunk - at(chunk);
        int found = first + mine.mismatch(its, chunk - first, end - first);
        if (found < end) {
          return found;
        }
      }
      chunk = end;
    }
    return chunks;
  }

  /** Adds to the counts of the states, or takes from them, what is so in a run of chunks. */
  void count(int from, int to, long sign, long[] counts) {
    @Nullable Page before = null;
    long[] inPage = new long[counts.length];
    int chunk = from;
    while (chunk < to) {
      int end = Math.min(to, (chunk | (PAGE - 1)) + 1);
      Page page = of(chunk);
      boolean whole = end - chunk == PAGE;
      if (!whole || page != before) {
        Arrays.fill(inPage, 0);
        for (int i = chunk; i < end; i++) {
          inPage[page.states[at(i)]]++;
        }
        before = whole ? page : null;
      }
      for (int i = 0; i < counts.length; i++) {
        counts[i] += sign * inPage[i];
      }
      chunk = end;
    }
  }

  /** Forgets everything. */
  void clear() {
    Arrays.fill(pages, UNTOUCHED);
  }

  /** How many pages there are; all untouched ones are one. */
  int pages() {
    Set<Page> different = Collections.newSetFromMap(new IdentityHashMap<>());
    Collections.addAll(different, pages);
    return different.size();
  }
}
