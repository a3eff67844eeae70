// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

/**
 * Finds writes with a userfaultfd of the other process: pages are write-protected, the kernel
 * removes the protection of a page when it is written and lets the writer go on at once ({@code
 * UFFD_FEATURE_WP_ASYNC}), and {@code PAGEMAP_SCAN} reads which pages lost it and protects them
 * again in one atomic step. Linux 6.7 or later, on aarch64 6.10.
 *
 * <p>While it tracks, the kernel maps shared memory in small pages, except hugetlbfs, whose pages
 * are protected and reported whole. A page whose mapping the process or the kernel has dropped is
 * reported unless it was protected. One that the file no longer has, which the guest has given
 * back, stays protected; so it is asked which pages the file has, except of hugetlbfs.
 *
 * <p>When the descriptor is closed, or this process ends in whatever way, the kernel removes every
 * protection.
 */
public final class UserfaultTracker implements WriteTracker {
  private static final int PAGE = RamBlock.PAGE_SIZE;

  private static final long UFFDIO_API = 0xc018aa3fL;
  private static final long UFFDIO_REGISTER = 0xc020aa00L;
  private static final long UFFDIO_UNREGISTER = 0x8010aa01L;
  private static final long UFFDIO_WRITEPROTECT = 0xc018aa06L;
  private static final long PAGEMAP_SCAN = 0xc0606610L;

  private static final long API = 0xaa;
  private static final long REGISTER_MODE_WP = 2;
  private static final long WRITEPROTECT_MODE_WP = 1;

  private static final long FEATURE_PAGEFAULT_FLAG_WP = 1;
  private static final long FEATURE_WP_HUGETLBFS_SHMEM = 1 << 12;
  private static final long FEATURE_WP_UNPOPULATED = 1 << 13;
  private static final long FEATURE_WP_ASYNC = 1 << 15;

  /** Offsets in {@code struct pm_scan_arg}, of which each member has eight bytes. */
  private static final int ARG_SIZE = 0;

  private static final int ARG_FLAGS = 8;
  private static final int ARG_START = 16;
  private static final int ARG_END = 24;
  private static final int ARG_WALK_END = 32;
  private static final int ARG_VEC = 40;
  private static final int ARG_VEC_LEN = 48;
  private static final int ARG_CATEGORY_MASK = 72;
  private static final int ARG_RETURN_MASK = 88;
  private static final int ARG_BYTES = 96;

  private static final long PM_SCAN_WP_MATCHING = 1;
  private static final long PM_SCAN_CHECK_WPASYNC = 2;
  private static final long PAGE_IS_WRITTEN = 2;

  /** {@code struct page_region}: start, end, categories. */
  private static final int REGION = 24;

  /** Regions that one call of the kernel returns at most. */
  private static final int REGIONS = 4096;

  /** Bytes that one call protects: the process cannot change its mappings meanwhile. */
  private static final long PROTECT_STEP = 1L << 30;

  private static final int EAGAIN_LIMIT = 1000;

  private final long pid;
  private final List<SharedRange> ranges;
  private final Descriptor userfault;
  private final Descriptor pagemap;
  private final List<ResidentPages> resident = new ArrayList<>();

  /** The pages that each file had when it was asked last. */
  private final List<DirtyBitmap> had = new ArrayList<>();

  private boolean closed;

  /**
   * Agrees with the kernel on the features.
   *
   * @param ranges of one process
   * @param userfault a new userfaultfd of that process, which is owned, also when this throws
   * @throws IOException if the kernel cannot; one sentence
   */
  public UserfaultTracker(List<SharedRange> ranges, Descriptor userfault) throws IOException {
    this.ranges = List.copyOf(ranges);
    this.userfault = userfault;
    pid = this.ranges.getFirst().pid();
    try {
      agree();
      for (SharedRange range : ranges) {
        resident.add(ResidentPages.of(range));
      }
      pagemap = Descriptor.openForReading("/proc/" + pid + "/pagemap");
    } catch (SystemCallException e) {
      closeFiles();
      throw new IOException(Permission.explain(pid, e), e);
    } catch (IOException | RuntimeException e) {
      closeFiles();
      throw e;
    }
  }

  private void closeFiles() {
    userfault.close();
    resident.forEach(ResidentPages::close);
  }

  private void agree() throws IOException {
    try {
      control(
          UFFDIO_API,
          API,
          FEATURE_PAGEFAULT_FLAG_WP
              | FEATURE_WP_HUGETLBFS_SHMEM
              | FEATURE_WP_UNPOPULATED
              | FEATURE_WP_ASYNC,
          0);
    } catch (SystemCallException e) {
      if (e.errno() == SystemCallException.EINVAL) {
        throw new IOException(
            "the kernel is %s and has no asynchronous write protection; Linux 6.7 or later has it, on aarch64 6.10."
                .formatted(System.getProperty("os.version")),
            e);
      }
      throw e;
    }
  }

  /** Calls ioctl with a structure of members of eight bytes. */
  private void control(long request, long... members) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocateFrom(JAVA_LONG, members);
      userfault.control(request, argument.address());
    }
  }

  @Override
  public synchronized void start() throws IOException {
    for (ResidentPages pages : resident) {
      had.add(pages.now());
    }
    try {
      for (SharedRange range : ranges) {
        control(UFFDIO_REGISTER, range.address(), range.length(), REGISTER_MODE_WP, 0);
        for (long at = range.address(); at < range.end(); at += PROTECT_STEP) {
          protect(at, Math.min(PROTECT_STEP, range.end() - at));
        }
      }
    } catch (SystemCallException e) {
      close();
      throw new IOException(
          "the memory of process %d cannot be write-protected (%s); its writes have to be found in"
                  .formatted(pid, e.getMessage())
              + " another way.",
          e);
    }
  }

  private void protect(long address, long length) throws SystemCallException {
    for (int i = 0; ; i++) {
      try {
        control(UFFDIO_WRITEPROTECT, address, length, WRITEPROTECT_MODE_WP);
        return;
      } catch (SystemCallException e) {
        // The process is just changing its mappings.
        if (e.errno() != SystemCallException.EAGAIN || i >= EAGAIN_LIMIT) {
          throw e;
        }
        Thread.yield();
      }
    }
  }

  @Override
  public synchronized void take(List<DirtyBitmap> into) throws IOException {
    if (closed) {
      throw new IllegalStateException("the tracker is closed");
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(ARG_BYTES, Long.BYTES);
      MemorySegment regions = arena.allocate((long) REGIONS * REGION, Long.BYTES);
      for (int i = 0; i < ranges.size(); i++) {
        scan(ranges.get(i), argument, regions, into.get(i));
        addVanished(i, into.get(i));
      }
    } catch (SystemCallException e) {
      throw new IOException(
          "the writes of process %d cannot be read (%s); it may have ended or changed its memory."
              .formatted(pid, e.getMessage()),
          e);
    }
    // The scan passes over memory that is gone as if nobody had written to it.
    ProcessMaps.read(pid).requireMapped(ranges);
  }

  /** A page that comes again is written to then, which a scan finds. */
  private void addVanished(int range, DirtyBitmap into) throws IOException {
    DirtyBitmap now = resident.get(range).now();
    DirtyBitmap before = had.set(range, now);
    long page = before.nextSet(0);
    while (page < before.pages()) {
      if (now.get(page)) {
        page = now.nextClear(page);
      } else {
        into.set(page);
        page++;
      }
      page = before.nextSet(page);
    }
  }

  private void scan(
      SharedRange range, MemorySegment argument, MemorySegment regions, DirtyBitmap into)
      throws IOException {
    long at = range.address();
    while (at < range.end()) {
      argument.fill((byte) 0);
      argument.set(JAVA_LONG, ARG_SIZE, ARG_BYTES);
      argument.set(JAVA_LONG, ARG_FLAGS, PM_SCAN_WP_MATCHING | PM_SCAN_CHECK_WPASYNC);
      argument.set(JAVA_LONG, ARG_START, at);
      argument.set(JAVA_LONG, ARG_END, range.end());
      argument.set(JAVA_LONG, ARG_VEC, regions.address());
      argument.set(JAVA_LONG, ARG_VEC_LEN, REGIONS);
      // With exactly these masks, a page that is in no page table any more is reported as written.
      argument.set(JAVA_LONG, ARG_CATEGORY_MASK, PAGE_IS_WRITTEN);
      argument.set(JAVA_LONG, ARG_RETURN_MASK, PAGE_IS_WRITTEN);
      long found = pagemap.control(PAGEMAP_SCAN, argument.address());
      long walked = argument.get(JAVA_LONG, ARG_WALK_END);
      if (found > REGIONS || walked <= at || walked > range.end()) {
        throw new IOException(
            "the kernel reported %d regions up to %#x after %#x; its writes have to be found in"
                    .formatted(found, walked, at)
                + " another way.");
      }
      for (long region = 0; region < found; region++) {
        long start = regions.get(JAVA_LONG, region * REGION);
        long end = regions.get(JAVA_LONG, region * REGION + Long.BYTES);
        long first = Math.max(start, range.address());
        long last = Math.min(end, range.end());
        for (long page = first; page < last; page += PAGE) {
          into.set((page - range.address()) / PAGE);
        }
      }
      at = walked;
    }
  }

  @Override
  public boolean needsQuietTarget() {
    return false;
  }

  @Override
  public String description() {
    return "userfaultfd";
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (SharedRange range : ranges) {
      try {
        control(UFFDIO_UNREGISTER, range.address(), range.length());
      } catch (SystemCallException e) {
        // It was not registered, or its process has ended; closing removes what is left.
      }
    }
    closeFiles();
    pagemap.close();
  }
}
