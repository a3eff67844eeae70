// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The holes of a mapped file, by SEEK_DATA of lseek(2). In tmpfs and memfd a page that is swapped
 * out is data (mapping_seek_hole_data in mm/filemap.c). In ext4, XFS and Btrfs one that was written
 * through a mapping is so at once: its block is reserved before the write (page_mkwrite of each),
 * and one that is reserved or dirty is data, even in a range that fallocate(2) has allocated.
 *
 * <p>Of huge pages the kernel says that all is data. They are read by read(2), which allocates none
 * (hugetlbfs_read_iter in fs/hugetlbfs/inode.c): a page of zeros takes as long as one that does not
 * exist, and counts as one.
 *
 * <p>No other file system is asked: FUSE, for example, does not know of writes through a mapping.
 */
final class FileHoles implements Holes, AutoCloseable {
  private static final long TMPFS = 0x01021994;
  private static final long EXT4 = 0xef53;
  private static final long XFS = 0x58465342;
  private static final long BTRFS = 0x9123683eL;
  private static final long HUGETLBFS = 0x958458f6L;

  /** Bytes that are read of huge pages at a time. */
  private static final long PIECE = 64 << 10;

  /** Most bytes that are read for one answer, after which it is not known. */
  private static final long MOST = 256 << 20;

  static final Set<Long> SEEKABLE = Set.of(TMPFS, EXT4, XFS, BTRFS);

  private static final int CLOSED = -1;

  private final long offset;
  private final boolean huge;
  private int descriptor;

  private FileHoles(int descriptor, boolean huge, long offset) {
    this.descriptor = descriptor;
    this.huge = huge;
    this.offset = offset;
  }

  /**
   * Opens a file; nothing is known of one that cannot be opened.
   *
   * @param offset in the file where the memory begins
   */
  static FileHoles of(Path file, long offset) {
    try {
      return of(LinuxMemory.open(file), offset);
    } catch (IOException e) {
      return new FileHoles(CLOSED, false, offset);
    }
  }

  /** Of an open file, which is owned. */
  static FileHoles of(int descriptor, long offset) {
    long type = LinuxMemory.fileSystem(descriptor);
    if (type == HUGETLBFS || Holes.areToldBy(type)) {
      return new FileHoles(descriptor, type == HUGETLBFS, offset);
    }
    LinuxMemory.close(descriptor);
    return new FileHoles(CLOSED, false, offset);
  }

  /** Nothing is known after {@link #close}, when another file may have the descriptor's number. */
  @Override
  public synchronized long nextData(long from, long end) {
    if (descriptor == CLOSED) {
      return from;
    }
    if (huge) {
      return nextThatIsNotZero(from, Math.min(end, from + MOST));
    }
    long found = LinuxMemory.seekData(descriptor, offset + from);
    if (found == LinuxMemory.NO_DATA) {
      // Memory after the end of a file that was truncated is no hole: it cannot be accessed.
      return LinuxMemory.length(descriptor) < offset + end ? from : end;
    }
    return Math.clamp((found - offset) & -RamBlock.PAGE_SIZE, from, end);
  }

  private long nextThatIsNotZero(long from, long end) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment piece = arena.allocate(Math.min(PIECE, end - from), RamBlock.PAGE_SIZE);
      MemorySegment zeros = arena.allocate(piece.byteSize(), RamBlock.PAGE_SIZE);
      for (long at = from; at < end; at += piece.byteSize()) {
        MemorySegment part = piece.asSlice(0, Math.min(piece.byteSize(), end - at));
        long read = LinuxMemory.read(descriptor, part, offset + at);
        long equal = part.mismatch(zeros.asSlice(0, part.byteSize()));
        if (read != part.byteSize() || equal >= 0) {
          long known = equal >= 0 ? Math.min(equal, Math.max(0, read)) : Math.max(0, read);
          return at + (known & -RamBlock.PAGE_SIZE);
        }
      }
      return end;
    }
  }

  /** Of a file that has nothing else. */
  @Override
  public synchronized OptionalLong existing(long length) {
    return descriptor == CLOSED || offset != 0
        ? OptionalLong.empty()
        : LinuxMemory.allocated(descriptor, length);
  }

  /** The holes of a private mapping of the file, which has pages of its own in front of those. */
  Holes under(Holes own) {
    return new Holes() {
      // The file is asked first, since it knows where its next page is.
      @Override
      public long nextData(long from, long end) {
        long data = FileHoles.this.nextData(from, end);
        return data == from ? from : own.nextData(from, data);
      }

      @Override
      public OptionalLong existing(long length) {
        OptionalLong below = huge ? OptionalLong.empty() : FileHoles.this.existing(length);
        if (below.isEmpty()) {
          return below;
        }
        long bytes = below.getAsLong();
        for (long at = 0; at < length; ) {
          long data = FileHoles.this.nextData(at, length);
          bytes += ownPages(own, at, data);
          at = nextHole(data, length);
        }
        return OptionalLong.of(Math.min(length, bytes));
      }
    };
  }

  private static long ownPages(Holes own, long from, long end) {
    long bytes = 0;
    long at = from;
    while (at < end) {
      at = own.nextData(at, end);
      bytes += at < end ? RamBlock.PAGE_SIZE : 0;
      at += RamBlock.PAGE_SIZE;
    }
    return bytes;
  }

  /** The first page after data that does not exist, or the end if that is not known. */
  private synchronized long nextHole(long data, long end) {
    if (data >= end || descriptor == CLOSED) {
      return end;
    }
    long found = LinuxMemory.seekHole(descriptor, offset + data) - offset;
    // A file that was truncated meanwhile has no hole there.
    return found <= data
        ? end
        : Math.min(end, (found + RamBlock.PAGE_SIZE - 1) & -RamBlock.PAGE_SIZE);
  }

  @Override
  public synchronized void close() {
    if (descriptor != CLOSED) {
      LinuxMemory.close(descriptor);
      descriptor = CLOSED;
    }
  }
}
