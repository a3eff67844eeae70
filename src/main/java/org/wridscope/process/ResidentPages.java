// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.Holes;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;

/**
 * The pages of shared memory that its file has. All others are zero, and reading one through a
 * mapping may allocate it. Where the file system does not say which of its pages somebody has
 * written through a mapping, it has all ({@link Holes#areToldBy}).
 */
final class ResidentPages implements AutoCloseable {
  /** More than the structure has. */
  private static final long STATFS_BYTES = 256;

  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  private final SharedRange range;

  /** Empty if the file has all pages, or cannot be opened. */
  private final Optional<Descriptor> file;

  private ResidentPages(SharedRange range, Optional<Descriptor> file) {
    this.range = range;
    this.file = file;
  }

  static ResidentPages of(SharedRange range) throws IOException {
    Optional<Descriptor> opened = range.open();
    if (opened.isPresent() && !tellsHoles(opened.get())) {
      opened.get().close();
      opened = Optional.empty();
    }
    return new ResidentPages(range, opened);
  }

  /** The first member of struct statfs is the type; see statfs(2). */
  private static boolean tellsHoles(Descriptor file) throws SystemCallException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statfs = arena.allocate(STATFS_BYTES, Long.BYTES);
      var _ = SystemCall.FSTATFS.call(file.number(), statfs.address());
      return Holes.areToldBy(statfs.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /**
   * The pages at this moment.
   *
   * @throws IOException if the file has become shorter
   */
  DirtyBitmap now() throws IOException {
    var pages = new DirtyBitmap(range.pages());
    if (file.isEmpty()) {
      pages.setAll();
      return pages;
    }
    Descriptor open = file.get();
    long end = range.offset() + range.length();
    for (long at = seek(open, range.offset(), SEEK_DATA); at < end; ) {
      long hole = Math.min(end, seek(open, at, SEEK_HOLE));
      for (long page = page(at); page < page(hole + RamBlock.PAGE_SIZE - 1); page++) {
        pages.set(page);
      }
      at = seek(open, hole, SEEK_DATA);
    }
    if (NativeMemory.wholePages(SystemCall.LSEEK.call(open.number(), 0, SEEK_END)) < end) {
      throw new IOException("the shared memory is incomplete; its file must not be truncated.");
    }
    return pages;
  }

  private long page(long position) {
    return (position - range.offset()) / RamBlock.PAGE_SIZE;
  }

  /** lseek(2), which reports ENXIO when there is no data after a position. */
  private static long seek(Descriptor file, long from, int whence) throws SystemCallException {
    try {
      return SystemCall.LSEEK.call(file.number(), from, whence);
    } catch (SystemCallException e) {
      if (e.errno() == SystemCallException.ENXIO) {
        return Long.MAX_VALUE;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    file.ifPresent(Descriptor::close);
  }
}
