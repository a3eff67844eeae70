// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * The holes of a private mapping of this process, by {@code /proc/self/pagemap}: what is neither in
 * memory nor in swap space was never accessed, or was given back.
 *
 * @param memory the mapping
 */
record AnonymousHoles(MemorySegment memory) implements Holes {
  /** Entries that are read at first, and at most at a time: those of 64 KiB and of 64 MiB. */
  private static final long FEW = 16;

  private static final long MOST = 16 << 10;

  private static final long PAGE = LinuxMemory.pageSize();

  private static final int PAGEMAP = LinuxMemory.openPagemap();

  @Override
  public long nextData(long from, long end) {
    // The page of a kernel may be larger than that of a guest.
    long first = Math.floorDiv(memory.address() + from, PAGE);
    long last = Math.ceilDiv(memory.address() + end, PAGE);
    long pages = FEW;
    for (long at = first; at < last; at += pages, pages = MOST) {
      long found = at + firstPresent(at, Math.min(pages, last - at));
      if (found < Math.min(at + pages, last)) {
        return Math.max(from, found * PAGE - memory.address());
      }
    }
    return end;
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
    return OptionalLong.of(Math.min(length, count * PAGE));
  }
}
