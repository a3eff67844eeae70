// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Format;

/** mmap(2) and related system calls, with the constants of x86-64 and aarch64. */
@SuppressWarnings("restricted")
final class LinuxMemory {
  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int MAP_PRIVATE = 0x02;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;
  private static final long MAP_FAILED = -1;
  private static final int O_RDONLY = 0;
  private static final int O_CLOEXEC = 0x80000;
  private static final int MADV_DONTNEED = 4;
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_NOHUGEPAGE = 15;
  private static final int MADV_POPULATE_WRITE = 23;
  private static final int SC_PAGESIZE = 30;
  private static final int SEEK_END = 2;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  /** No byte at or after a position is data. */
  static final long NO_DATA = -1;

  /** More than {@code struct statfs} has. */
  private static final long STATFS_BYTES = 256;

  /** {@code PAGEMAP_SCAN} of linux/fs.h, since Linux 6.7. */
  private static final long PAGEMAP_SCAN = 0xc0606610L;

  /** {@code PAGE_IS_PRESENT | PAGE_IS_SWAPPED}. */
  private static final long SCAN_EXISTING = 1 << 3 | 1 << 4;

  /** Number of eight-byte members of {@code struct pm_scan_arg}. */
  private static final int SCAN_MEMBERS = 12;

  /** Eight-byte members of {@code struct page_region}: start, end, categories. */
  private static final int REGION_MEMBERS = 3;

  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int STATX_SIZE = 0x200;
  private static final int STATX_BLOCKS = 0x400;
  private static final long STATX_BYTES = 256;

  /** Offsets in {@code struct statx}. */
  private static final long STX_SIZE = 40;

  private static final long STX_BLOCKS = 48;

  /** Bytes of which {@code stx_blocks} counts. */
  private static final long SECTOR = 512;

  /** Of an entry of pagemap: the page is in memory, or in swap space. */
  private static final long PM_PRESENT_OR_SWAP = 3L << 62;

  private static final int EINTR = 4;
  private static final int ENXIO = 6;
  private static final int EAGAIN = 11;
  private static final int ENOMEM = 12;
  private static final int EINVAL = 22;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO = CALL_STATE.varHandle(PathElement.groupElement("errno"));

  private static final MethodHandle MMAP =
      function(
          "mmap",
          FunctionDescriptor.of(
              ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MUNMAP =
      function("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
  private static final MethodHandle MADVISE =
      function("madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  private static final MethodHandle OPEN =
      function(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle PREAD =
      function("pread", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle IOCTL =
      function(
          "ioctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle LSEEK =
      function("lseek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle FSTATFS =
      function("fstatfs", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle STATX =
      function(
          "statx", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle SYSCONF =
      function("sysconf", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));

  private LinuxMemory() {}

  private static MethodHandle function(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    List<Linker.Option> all = new ArrayList<>(List.of(options));
    all.add(Linker.Option.captureCallState("errno"));
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), descriptor, all.toArray(Linker.Option[]::new));
  }

  /** Page size of this machine's kernel, in bytes. */
  static long pageSize() {
    try (Arena arena = Arena.ofConfined()) {
      return (long) SYSCONF.invokeExact(arena.allocate(CALL_STATE), SC_PAGESIZE);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Maps anonymous memory without reserving swap space. */
  static MemorySegment map(long bytes) throws IOException {
    return map(bytes, MAP_ANONYMOUS, -1);
  }

  /**
   * Maps a file copy-on-write. {@link java.nio.channels.FileChannel#map} requires permission to
   * write to the file for this.
   */
  static MemorySegment mapPrivate(int descriptor, long bytes) throws IOException {
    return map(bytes, 0, descriptor);
  }

  private static MemorySegment map(long bytes, int flags, int descriptor) throws IOException {
    MemorySegment mapped;
    int errno;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      mapped =
          (MemorySegment)
              MMAP.invokeExact(
                  state,
                  MemorySegment.NULL,
                  bytes,
                  PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_NORESERVE | flags,
                  descriptor,
                  0L);
      errno = (int) ERRNO.get(state, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    if (mapped.address() == MAP_FAILED) {
      throw refused(bytes, errno);
    }
    return mapped.reinterpret(bytes);
  }

  /** Opens a file for reading. */
  static int open(Path file) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      // The encoding that the JDK itself uses for file names.
      Charset encoding = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
      byte[] name = file.toString().getBytes(encoding);
      MemorySegment path = arena.allocate(name.length + 1L);
      path.copyFrom(MemorySegment.ofArray(name));
      int descriptor = (int) OPEN.invokeExact(state, path, O_RDONLY | O_CLOEXEC);
      if (descriptor < 0) {
        throw new FileSystemException(
            file.toString(), null, "open failed with errno " + (int) ERRNO.get(state, 0L));
      }
      return descriptor;
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void close(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      var _ = (int) CLOSE.invokeExact(arena.allocate(CALL_STATE), descriptor);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void unmap(MemorySegment range) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result = (int) MUNMAP.invokeExact(state, range, range.byteSize());
      if (result != 0) {
        throw new IllegalStateException(
            "munmap of %d bytes failed with errno %d"
                .formatted(range.byteSize(), (int) ERRNO.get(state, 0L)));
      }
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Asks for huge pages; does nothing if the kernel has none. */
  static void adviseHugePages(MemorySegment range) {
    var _ = advise(range, MADV_HUGEPAGE);
  }

  /** Asks for no huge pages, with which a kernel may back what did not ask for them. */
  static void adviseSmallPages(MemorySegment range) {
    var _ = advise(range, MADV_NOHUGEPAGE);
  }

  /** Releases the physical memory of anonymous pages, which are zero from then on. */
  static void discard(MemorySegment range) {
    int errno = advise(range, MADV_DONTNEED);
    if (errno != 0) {
      throw new IllegalStateException(
          "madvise of %d bytes failed with errno %d".formatted(range.byteSize(), errno));
    }
  }

  /**
   * Writes zeros over the anonymous pages that were ever accessed, without giving them back: the
   * kernel needs several times as long to take pages and to give others.
   *
   * @param pagemap of this process, see {@link #openPagemap}
   * @return false when the kernel does not tell which ones they are
   */
  static boolean clear(MemorySegment range, int pagemap) {
    long page = pageSize();
    long pages = Math.ceilDiv(range.byteSize(), page);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment entries = arena.allocate(JAVA_LONG, pages);
      if (!readPagemap(pagemap, range.address() / page, entries)) {
        return false;
      }
      for (long i = 0; i < pages; i++) {
        if (exists(entries.getAtIndex(JAVA_LONG, i))) {
          long offset = i * page;
          range.asSlice(offset, Math.min(page, range.byteSize() - offset)).fill((byte) 0);
        }
      }
      return true;
    }
  }

  /**
   * Reads entries of pagemap.
   *
   * @param page number of the first page, its address divided by {@link #pageSize}
   * @param entries filled, eight bytes for each page
   * @return false when the kernel does not tell
   */
  static boolean readPagemap(int pagemap, long page, MemorySegment entries) {
    return read(pagemap, entries, page * Long.BYTES) == entries.byteSize();
  }

  /**
   * Reads a file.
   *
   * @param position in the file
   * @return number of bytes; negative if the kernel refuses
   */
  static long read(int descriptor, MemorySegment into, long position) {
    try (Arena arena = Arena.ofConfined()) {
      return (long)
          PREAD.invokeExact(
              arena.allocate(CALL_STATE), descriptor, into, into.byteSize(), position);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * Ranges of this process's memory whose pages are in memory or in swap space.
   *
   * @param regions most that are found
   * @param pages most that are found in all; 0 for any number
   */
  record Existing(int pagemap, int regions, long pages) {
    /**
     * A range that was found.
     *
     * @param start address, as is {@code end}, of the first byte after it
     */
    record Range(long start, long end) {}

    /** What was found, and where the search ended. */
    record Found(List<Range> ranges, long end) {}

    /**
     * Searches a range of addresses, both multiples of {@link #pageSize}; null if the kernel
     * cannot.
     */
    @Nullable Found in(long start, long end) {
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment vector = arena.allocate(JAVA_LONG, (long) regions * REGION_MEMBERS);
        MemorySegment arg =
            arena.allocateFrom(
                JAVA_LONG,
                SCAN_MEMBERS * Long.BYTES,
                0,
                start,
                end,
                0,
                vector.address(),
                regions,
                pages,
                0,
                0,
                SCAN_EXISTING,
                SCAN_EXISTING);
        int count = (int) IOCTL.invokeExact(arena.allocate(CALL_STATE), pagemap, PAGEMAP_SCAN, arg);
        if (count < 0) {
          return null;
        }
        var ranges = new ArrayList<Range>();
        for (long i = 0; i < count; i++) {
          long at = i * REGION_MEMBERS;
          ranges.add(
              new Range(vector.getAtIndex(JAVA_LONG, at), vector.getAtIndex(JAVA_LONG, at + 1)));
        }
        return new Found(ranges, arg.getAtIndex(JAVA_LONG, 4));
      } catch (Throwable e) {
        throw unexpected(e);
      }
    }
  }

  /** Whether an entry of pagemap is of a page that is in memory or in swap space. */
  static boolean exists(long entry) {
    return (entry & PM_PRESENT_OR_SWAP) != 0;
  }

  /**
   * The first position at or after {@code from} that the file has.
   *
   * @return {@link #NO_DATA} if there is none; {@code from} if the kernel does not tell
   */
  static long seekData(int descriptor, long from) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      long found = (long) LSEEK.invokeExact(state, descriptor, from, SEEK_DATA);
      if (found >= 0) {
        return found;
      }
      return (int) ERRNO.get(state, 0L) == ENXIO ? NO_DATA : from;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** The end of the data at a position of a file, or {@code from} if the kernel does not tell. */
  static long seekHole(int descriptor, long from) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      return Math.max(from, (long) LSEEK.invokeExact(state, descriptor, from, SEEK_HOLE));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Length of a file, in bytes; negative if the kernel does not tell. */
  static long length(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      return (long) LSEEK.invokeExact(arena.allocate(CALL_STATE), descriptor, 0L, SEEK_END);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * Bytes that a file has in memory or on a disk.
   *
   * @param length of the file, in bytes, up to the end of its last page
   * @return empty if the file has another length, or the kernel does not tell
   */
  static OptionalLong allocated(int descriptor, long length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statx = arena.allocate(STATX_BYTES, Long.BYTES);
      int result =
          (int)
              STATX.invokeExact(
                  arena.allocate(CALL_STATE),
                  descriptor,
                  arena.allocateFrom(""),
                  AT_EMPTY_PATH,
                  STATX_SIZE | STATX_BLOCKS,
                  statx);
      int told = statx.get(JAVA_INT, 0);
      long page = pageSize();
      return result == 0
              && (told & STATX_SIZE) != 0
              && (told & STATX_BLOCKS) != 0
              && Math.ceilDiv(statx.get(JAVA_LONG, STX_SIZE), page) == Math.ceilDiv(length, page)
          ? OptionalLong.of(Math.min(length, statx.get(JAVA_LONG, STX_BLOCKS) * SECTOR))
          : OptionalLong.empty();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Type of the file system of a file, see statfs(2); 0 if the kernel does not tell. */
  static long fileSystem(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment statfs = arena.allocate(STATFS_BYTES, Long.BYTES);
      int result = (int) FSTATFS.invokeExact(arena.allocate(CALL_STATE), descriptor, statfs);
      return result == 0 ? statfs.get(JAVA_LONG, 0) : 0;
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Opens what tells about the pages of this process; -1 if there is no such file. */
  static int openPagemap() {
    try {
      return open(Path.of("/proc/self/pagemap"));
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * Populates the page tables of a range for writing.
   *
   * @return false when the kernel is older than 5.14 and cannot
   */
  static boolean populate(MemorySegment range) throws IOException {
    while (true) {
      int errno = advise(range, MADV_POPULATE_WRITE);
      switch (errno) {
        case 0 -> {
          return true;
        }
        case EINVAL -> {
          return false;
        }
        case EINTR, EAGAIN -> Thread.onSpinWait();
        default -> throw refused(range.byteSize(), errno);
      }
    }
  }

  /** Calls madvise; returns 0 or errno. */
  private static int advise(MemorySegment range, int advice) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(CALL_STATE);
      int result = (int) MADVISE.invokeExact(state, range, range.byteSize(), advice);
      return result == 0 ? 0 : (int) ERRNO.get(state, 0L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  private static IOException refused(long bytes, int errno) {
    return new IOException(
        "the system refused %s of memory for guest RAM (%s); give the guest less RAM, or"
                .formatted(Format.bytes(bytes), errno == ENOMEM ? "ENOMEM" : "errno " + errno)
            + " raise the limits (ulimit -v, vm.overcommit_memory, the container's memory)");
  }

  private static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
