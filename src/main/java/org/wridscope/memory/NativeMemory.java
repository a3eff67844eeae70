// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.wridscope.time.Time;

/**
 * Page-aligned memory outside the Java heap, for guest RAM and message buffers. After it is closed,
 * access to its segment throws an {@link IllegalStateException}; not under a scheduler, where it is
 * used again: to close a shared arena stops all threads, which takes longer than half of a run.
 */
public final class NativeMemory implements AutoCloseable {
  /** Size of a huge page on x86-64, and on aarch64 with pages of 4 KiB. */
  private static final long HUGE_PAGE = 2L << 20;

  /** Bytes that a thread populates at a time, so that threads share the work evenly. */
  private static final long POPULATE_STEP = 32L << 20;

  private static final long CLOSE_DEADLINE_NANOS = 5_000_000_000L;

  private static final int HOST_PAGE = (int) LinuxMemory.pageSize();

  private static final LongAdder MAPPED = new LongAdder();

  private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();

  private static final Recycled RECYCLED = new Recycled();

  private final MemorySegment segment;
  private final Holes holes;

  /** Ends its use; throws an {@link IllegalStateException} while a native call uses it. */
  private final Runnable release;

  private final AtomicBoolean closed = new AtomicBoolean();

  private NativeMemory(MemorySegment segment, Holes holes, Runnable release) {
    this.segment = segment;
    this.holes = holes;
    this.release = release;
    MAPPED.add(segment.byteSize());
    Time.mapped(segment);
  }

  /** Bytes of all such memory in this process, whether backed by physical memory or not. */
  public static long mappedBytes() {
    return MAPPED.sum();
  }

  /**
   * Maps anonymous memory, all zero, and asks for huge pages. Physical memory is allocated when a
   * page is first written to, or by {@link #populate}.
   *
   * @param bytes at least 1
   * @throws IOException if the kernel refuses; one sentence
   */
  public static NativeMemory allocate(long bytes) throws IOException {
    if (Time.isParallel() || bytes > Recycled.LARGEST) {
      // Huge pages need their own alignment, and mmap(2) guarantees only that of a page.
      return map(bytes, bytes >= HUGE_PAGE ? HUGE_PAGE : 0);
    }
    return recycled(bytes);
  }

  /**
   * As {@link #allocate}, for memory of which little is written to: without huge pages.
   *
   * @param bytes at least 1
   */
  public static NativeMemory allocateSparse(long bytes) throws IOException {
    if (!Time.isParallel() && bytes <= Recycled.LARGEST) {
      return recycled(bytes);
    }
    NativeMemory memory = map(bytes, 0);
    LinuxMemory.adviseSmallPages(memory.segment());
    return memory;
  }

  private static NativeMemory recycled(long bytes) throws IOException {
    MemorySegment mapping = RECYCLED.take(bytes);
    // Most of it was written to before, and is to be had without a call of the kernel.
    return new NativeMemory(
        mapping.asSlice(0, bytes), Holes.UNKNOWN, () -> RECYCLED.giveBack(mapping));
  }

  /**
   * @param slack for the alignment of huge pages; 0 for none of them
   */
  @SuppressWarnings("restricted")
  private static NativeMemory map(long bytes, long slack) throws IOException {
    MemorySegment mapped = LinuxMemory.map(bytes + slack);
    long padding = -mapped.address() & (slack == 0 ? 0 : HUGE_PAGE - 1);
    if (padding > 0) {
      LinuxMemory.unmap(mapped.asSlice(0, padding));
    }
    long end = wholePages(padding + bytes);
    if (end < bytes + slack) {
      LinuxMemory.unmap(mapped.asSlice(end));
    }
    Arena arena = Arena.ofShared();
    MemorySegment segment =
        mapped.asSlice(padding, bytes).reinterpret(bytes, arena, LinuxMemory::unmap);
    if (slack > 0) {
      LinuxMemory.adviseHugePages(segment);
    }
    return new NativeMemory(segment, new AnonymousHoles(segment), arena::close);
  }

  /**
   * Maps a file copy-on-write: changes never reach the file.
   *
   * @param bytes from the start of the file, at most its length
   */
  @SuppressWarnings("restricted")
  public static NativeMemory mapPrivate(Path file, long bytes) throws IOException {
    int descriptor = LinuxMemory.open(file);
    MemorySegment mapped;
    try {
      mapped = LinuxMemory.mapPrivate(descriptor, bytes);
    } catch (IOException | RuntimeException | Error e) {
      LinuxMemory.close(descriptor);
      throw e;
    }
    Arena arena = Arena.ofShared();
    MemorySegment segment = mapped.reinterpret(bytes, arena, LinuxMemory::unmap);
    FileHoles below = FileHoles.of(descriptor, 0);
    return new NativeMemory(
        segment, below.under(new AnonymousHoles(segment)), closing(arena, below));
  }

  private static Runnable closing(Arena arena, FileHoles holes) {
    return () -> {
      arena.close();
      holes.close();
    };
  }

  /**
   * Maps a file for reading and writing: changes reach the file, at the latest by {@link #force}.
   *
   * @param file open for reading and writing
   * @param path of the same file, which stays open for reading until this is closed; to close it
   *     releases the locks that this process has on the file
   * @param bytes from the start of the file, which is extended to that length
   */
  public static NativeMemory mapShared(FileChannel file, Path path, long bytes) throws IOException {
    return mapShared(file, path, 0, bytes, bytes);
  }

  /**
   * Maps whole pages of a file for reading and writing, as the kernel does for every process: after
   * the end of the file, up to that of its last page, there are bytes that it does not keep.
   *
   * @param path see {@link #mapShared(FileChannel, Path, long)}
   * @param offset in the file, a multiple of the page size of this machine
   * @param bytes as many as a process has mapped there
   * @return empty if the file has become shorter
   */
  public static Optional<NativeMemory> mapPages(
      FileChannel file, Path path, long offset, long bytes) throws IOException {
    long there = file.size() - offset;
    return wholePages(there) < bytes
        ? Optional.empty()
        : Optional.of(mapShared(file, path, offset, Math.min(there, bytes), bytes));
  }

  @SuppressWarnings("restricted")
  private static NativeMemory mapShared(
      FileChannel file, Path path, long offset, long there, long bytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment mapped = file.map(MapMode.READ_WRITE, offset, there, arena);
      // The Java library refuses to force a segment that was made larger.
      MemorySegment segment = there < bytes ? mapped.reinterpret(bytes) : mapped;
      FileHoles holes = FileHoles.of(path, offset);
      return new NativeMemory(segment, holes, closing(arena, holes));
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** Size of a page of this machine's kernel, in bytes: 4, 16 or 64 KiB. */
  public static int hostPage() {
    return HOST_PAGE;
  }

  /** The bytes of the pages that so many bytes need. */
  public static long wholePages(long bytes) {
    return Math.ceilDiv(bytes, HOST_PAGE) * HOST_PAGE;
  }

  /** All of the memory. */
  public MemorySegment segment() {
    return segment;
  }

  /** Which of its pages do not exist. */
  Holes holes() {
    return holes;
  }

  /**
   * Backs a range with physical memory now, so that later writes do not fault. Its contents stay.
   * Under a scheduler, where it does not count how long a write takes, it does nothing.
   *
   * @throws IOException if there is not enough memory; one sentence
   */
  public void populate(long offset, long length) throws IOException {
    MemorySegment range = segment.asSlice(offset, length);
    if (Time.isParallel() && !LinuxMemory.populate(range)) {
      touch(range);
    }
  }

  /**
   * Releases the physical memory of a range, which is all zero from then on. Only for memory that
   * was {@linkplain #allocate allocated}.
   *
   * @param offset a multiple of the page size of this machine
   */
  public void discard(long offset, long length) {
    LinuxMemory.discard(segment.asSlice(offset, length));
  }

  /** Writes to each page, for a kernel that cannot populate. */
  static void touch(MemorySegment range) {
    for (long at = 0; at < range.byteSize(); at += RamBlock.PAGE_SIZE) {
      // The compiler would remove a plain store of a value that was just loaded.
      var _ = (int) INTS.getAndBitwiseOr(range, at, 0);
    }
  }

  /**
   * Backs all of the memory with physical memory, see {@link #populate(long, long)}.
   *
   * @param threads that share the work, at least 1
   */
  public void populate(int threads) throws IOException {
    long bytes = segment.byteSize();
    try {
      Parallel.forEach(
          threads,
          Math.ceilDiv(bytes, POPULATE_STEP),
          Parallel.interruptible(i -> {
            long offset = i * POPULATE_STEP;
            try {
              populate(offset, Math.min(POPULATE_STEP, bytes - offset));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Writes a mapped file's changed pages to the storage device. */
  public void force() {
    segment.force();
  }

  /**
   * Unmaps the memory. Waits up to five seconds for native calls that use it.
   *
   * @throws IllegalStateException if one still does after that
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    Time.unmapped(segment);
    long start = System.nanoTime();
    while (true) {
      try {
        release.run();
        MAPPED.add(-segment.byteSize());
        return;
      } catch (IllegalStateException e) {
        // A shared arena cannot be closed while a native call uses a segment of it.
        if (System.nanoTime() - start > CLOSE_DEADLINE_NANOS) {
          closed.set(false);
          throw new IllegalStateException(
              "guest memory is still in use by a native call after 5 s", e);
        }
        Thread.onSpinWait();
      }
    }
  }

  /**
   * Mappings that runs under a scheduler have left: a thousand such runs a second would spend most
   * of their time in the kernel, which maps and unmaps. Each has a power of two of bytes, so that
   * few sizes serve all.
   */
  private static final class Recycled {
    static final long LARGEST = 16 << 20;

    /** From this size on most of it was not written to, so that it pays to ask what was. */
    private static final long SPARSE = 2 << 20;

    private static final int PAGEMAP = LinuxMemory.openPagemap();

    /** Bytes that are kept at most. */
    private static final long ENOUGH = 256 << 20;

    private final Map<Long, Deque<MemorySegment>> bySize = new ConcurrentHashMap<>();
    private final AtomicLong kept = new AtomicLong();

    /**
     * A mapping of at least so many bytes, of which these are zero.
     *
     * @param bytes at most {@link #LARGEST}
     */
    MemorySegment take(long bytes) throws IOException {
      long size = Math.max(RamBlock.PAGE_SIZE, Long.highestOneBit(2 * bytes - 1));
      MemorySegment unused = ofSize(size).pollLast();
      if (unused == null) {
        return LinuxMemory.map(size);
      }
      kept.addAndGet(-size);
      MemorySegment used = unused.asSlice(0, bytes);
      if (bytes < SPARSE) {
        used.fill((byte) 0);
      } else if (!LinuxMemory.clear(used, PAGEMAP)) {
        LinuxMemory.discard(used);
      }
      return unused;
    }

    void giveBack(MemorySegment unused) {
      if (kept.addAndGet(unused.byteSize()) > ENOUGH) {
        kept.addAndGet(-unused.byteSize());
        LinuxMemory.unmap(unused);
      } else {
        ofSize(unused.byteSize()).addLast(unused);
      }
    }

    private Deque<MemorySegment> ofSize(long size) {
      return bySize.computeIfAbsent(size, _ -> new ConcurrentLinkedDeque<>());
    }
  }
}
