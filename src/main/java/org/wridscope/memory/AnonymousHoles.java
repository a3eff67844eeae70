// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import org.wridscope.memory.LinuxMemory.Existing;

/**
 * The holes of a private mapping of this process, by {@code /proc/self/pagemap}: what is neither in
 * memory nor in swap space was never accessed, or was given back. A kernel since Linux 6.7 skips
 * what has no page table; of an older one the entry of each page is read.
 *
 * @param memory the mapping
 * @param scans whether the kernel is to skip what it can
 */
record AnonymousHoles(MemorySegment memory, boolean scans) implements Holes {
  /** Entries that are read at first, and at most at a time: those of 64 KiB and of 64 MiB. */
  private static final long FEW = 16;

  private static final long MOST = 16 << 10;

  /** Ranges that are counted at a time. */
  private static final int RANGES = 1024;

  private static final long PAGE = LinuxMemory.pageSize();

  private static final int PAGEMAP = LinuxMemory.openPagemap();

  AnonymousHoles(MemorySegment memory) {
    this(memory, true);
  }

  @Override
  public long nextData(long from, long end) {
    // The page of a kernel may be larger than that of a guest.
    long first = Math.floorDiv(memory.address() + from, PAGE);
    long last = Math.ceilDiv(memory.address() + end, PAGE);
    long found = firstExisting(first, last);
    return found == last ? end : Math.max(from, found * PAGE - memory.address());
  }

  /**
   * The number of the first page that exists, or of which it is not known; last if there is none.
   */
  private long firstExisting(long first, long last) {
    Existing.Found found = scans ? new Existing(PAGEMAP, 1, 1).in(first * PAGE, last * PAGE) : null;
    if (found != null && memory.scope().isAlive()) {
      return found.ranges().isEmpty() ? last : found.ranges().getFirst().start() / PAGE;
    }
    long pages = FEW;
    for (long at = first; at < last; at += pages, pages = MOST) {
      long count = Math.min(pages, last - at);
      long next = at + firstPresent(at, count);
      if (next < at + count) {
        return next;
      }
    }
    return last;
  }

  /** How many pages do not exist before one that does, or of which it is not known. */
  private long firstPresent(long page, long pages) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entries = arena.allocate(JAVA_LONG, pages);
      if (!read(page, entries)) {
        return 0;
      }
      long count = 0;
      while (count < pages && !LinuxMemory.exists(entries.getAtIndex(JAVA_LONG, count))) {
        count++;
      }
      return count;
    }
  }

  private boolean read(long page, MemorySegment entries) {
    return LinuxMemory.readPagemap(PAGEMAP, page, entries) && memory.scope().isAlive();
  }

  @Override
  public OptionalLong existing(long length) {
    long first = memory.address() / PAGE;
    long last = Math.ceilDiv(memory.address() + length, PAGE);
    OptionalLong pages = scans ? scanned(first, last) : OptionalLong.empty();
    pages = pages.isPresent() ? pages : counted(first, last);
    return pages.isPresent()
        ? OptionalLong.of(Math.min(length, pages.getAsLong() * PAGE))
        : OptionalLong.empty();
  }

  private OptionalLong scanned(long first, long last) {
    var search = new Existing(PAGEMAP, RANGES, 0);
    long count = 0;
    for (long at = first * PAGE; at < last * PAGE; ) {
      Existing.Found found = search.in(at, last * PAGE);
      if (found == null || found.end() <= at || !memory.scope().isAlive()) {
        return OptionalLong.empty();
      }
      for (Existing.Range range : found.ranges()) {
        count += (range.end() - range.start()) / PAGE;
      }
      at = found.end();
    }
    return OptionalLong.of(count);
  }

  private OptionalLong counted(long first, long last) {
    long count = 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment all = arena.allocate(JAVA_LONG, Math.min(MOST, last - first));
      for (long at = first; at < last; at += MOST) {
        long pages = Math.min(MOST, last - at);
        MemorySegment entries = all.asSlice(0, pages * Long.BYTES);
        if (!read(at, entries)) {
          return OptionalLong.empty();
        }
        for (long i = 0; i < pages; i++) {
          count += LinuxMemory.exists(entries.getAtIndex(JAVA_LONG, i)) ? 1 : 0;
        }
      }
    }
    return OptionalLong.of(count);
  }
}
