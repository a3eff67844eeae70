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
 * State and release, counts and keys of each chunk of a block, 13 bytes per chunk, in pages of
 * {@value #PAGE} chunks. Equal pages may share one object, which is copied on write: as long as all
 * chunks of a block are equal, a page costs no more than the four bytes of its reference, however
 * long the block claims to be.
 *
 * <p>One thread writes, any thread may read.
 */
final class ChunkColumns {
  /** Chunks per page; a power of two. */
  static final int PAGE = 64;

  /** Number of different {@linkplain #kind kinds}. */
  static final int KINDS = ChunkRelease.values().length * ChunkState.values().length;

  private static final int STATES = ChunkState.values().length;
  private static final int SHIFT = Integer.numberOfTrailingZeros(PAGE);

  private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(Page[].class);
  private static final Page UNTOUCHED = untouched();

  private final int chunks;
  private final Page[] pages;

  /** The columns of some chunks; those beyond the last chunk of a block stay at their defaults. */
  static final class Page {
    final byte[] kinds;
    final short[] inTransit;
    final short[] timesSent;
    final int[] localKeys;
    final int[] remoteKeys;

    /** Whether the page may be used more than once, and so must not be written to. */
    private boolean shared;

    private Page() {
      kinds = new byte[PAGE];
      inTransit = new short[PAGE];
      timesSent = new short[PAGE];
      localKeys = new int[PAGE];
      remoteKeys = new int[PAGE];
    }

    private Page(Page from) {
      kinds = from.kinds.clone();
      inTransit = from.inTransit.clone();
      timesSent = from.timesSent.clone();
      localKeys = from.localKeys.clone();
      remoteKeys = from.remoteKeys.clone();
    }

    /** The first chunk in {@code [from, to)} that differs, or {@code to}. */
    private int mismatch(Page other, int from, int to) {
      int first = to;
      first = earlier(first, from, Arrays.mismatch(kinds, from, first, other.kinds, from, first));
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

  /** Changes one chunk, depending on nothing but that chunk. */
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

  /** The page of a chunk, for reading. */
  Page of(int chunk) {
    return (Page) PAGES.getAcquire(pages, chunk >> SHIFT);
  }

  /** Index of a chunk in its page. */
  static int at(int chunk) {
    return chunk & (PAGE - 1);
  }

  /** The page of a chunk, for writing. */
  Page own(int chunk) {
    int number = chunk >> SHIFT;
    Page page = pages[number];
    if (page.shared) {
      page = new Page(page);
      PAGES.setRelease(pages, number, page);
    }
    return page;
  }

  /** Changes the chunks in {@code [from, to)}; whole pages that were shared stay shared. */
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

  /** Copies all columns of another block with the same number of chunks. */
  void become(ChunkColumns other) {
    for (int i = 0; i < pages.length; i++) {
      Page page = other.pages[i];
      page.shared = true;
      PAGES.setRelease(pages, i, page);
    }
  }

  /**
   * The first chunk at or after {@code from} that differs, or the number of chunks if none does.
   */
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

  /**
   * Counts the chunks in {@code [from, to)} by {@link #kind}.
   *
   * @param sign 1 to add to the counts, -1 to subtract
   */
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
          inPage[page.kinds[at(i)]]++;
        }
        before = whole ? page : null;
      }
      for (int i = 0; i < counts.length; i++) {
        counts[i] += sign * inPage[i];
      }
      chunk = end;
    }
  }

  /** State and release of a chunk in one number; with no release, the ordinal of the state. */
  static byte kind(ChunkState state, ChunkRelease release) {
    return (byte) (release.ordinal() * STATES + state.ordinal());
  }

  static ChunkState stateOf(int kind) {
    return ChunkState.of(kind % STATES);
  }

  static ChunkRelease releaseOf(int kind) {
    return ChunkRelease.of(kind / STATES);
  }

  /** Resets all chunks to their defaults. */
  void clear() {
    Arrays.fill(pages, UNTOUCHED);
  }

  /** Number of different page objects. */
  int pages() {
    Set<Page> different = Collections.newSetFromMap(new IdentityHashMap<>());
    Collections.addAll(different, pages);
    return different.size();
  }
}
