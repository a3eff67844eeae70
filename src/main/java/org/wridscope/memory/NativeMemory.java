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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;

/**
 * Page-aligned memory outside the Java heap, for guest RAM and message buffers. After it is closed,
 * access to its segment throws an {@link IllegalStateException}.
 */
public final class NativeMemory implements AutoCloseable {
  /** Size of a huge page on x86-64, and on aarch64 with pages of 4 KiB. */
  private static final long HUGE_PAGE = 2L << 20;

  /** Bytes that a thread populates at a time, so that threads share the work evenly. */
  private static final long POPULATE_STEP = 32L << 20;

  private static final long CLOSE_DEADLINE_NANOS = 5_000_000_000L;

  private static final LongAdder MAPPED = new LongAdder();

  private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();

  private static final Recycled RECYCLED = new Recycled();

  private final Arena arena;
  private final MemorySegment segment;
  private final boolean anonymous;
  private final AtomicBoolean closed = new AtomicBoolean();

  private NativeMemory(Arena arena, MemorySegment segment, boolean anonymous) {
    this.arena = arena;
    this.segment = segment;
    this.anonymous = anonymous;
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
    NativeMemory used = Time.isParallel() ? null : RECYCLED.take(bytes);
    return used == null ? map(bytes) : used;
  }

  @SuppressWarnings("restricted")
  private static NativeMemory map(long bytes) throws IOException {
    // Huge pages need their own alignment, and mmap(2) guarantees only that of a page.
    long slack = bytes >= HUGE_PAGE ? HUGE_PAGE : 0;
    MemorySegment mapped = LinuxMemory.map(bytes + slack);
    long padding = -mapped.address() & (slack == 0 ? 0 : HUGE_PAGE - 1);
    if (padding > 0) {
      LinuxMemory.unmap(mapped.asSlice(0, padding));
    }
    long hostPage = LinuxMemory.pageSize();
    long end = Math.ceilDiv(padding + bytes, hostPage) * hostPage;
    if (end < bytes + slack) {
      LinuxMemory.unmap(mapped.asSlice(end));
    }
    Arena arena = Arena.ofShared();
    MemorySegment segment =
        mapped.asSlice(padding, bytes).reinterpret(bytes, arena, LinuxMemory::unmap);
    if (bytes >= HUGE_PAGE && Time.isParallel()) {
      LinuxMemory.adviseHugePages(segment);
    }
    return new NativeMemory(arena, segment, true);
  }

  /**
   * Maps a file copy-on-write: changes never reach the file.
   *
   * @param bytes from the start of the file, at most its length
   */
  @SuppressWarnings("restricted")
  public static NativeMemory mapPrivate(Path file, long bytes) throws IOException {
    MemorySegment mapped = LinuxMemory.mapPrivate(file, bytes);
    Arena arena = Arena.ofShared();
    return new NativeMemory(arena, mapped.reinterpret(bytes, arena, LinuxMemory::unmap), false);
  }

  /**
   * Maps a file for reading and writing: changes reach the file, at the latest by {@link #force}.
   *
   * @param file open for reading and writing
   * @param bytes from the start of the file, at most its length
   */
  public static NativeMemory mapShared(FileChannel file, long bytes) throws IOException {
    return mapShared(file, 0, bytes);
  }

  /**
   * Maps a part of a file for reading and writing, see {@link #mapShared(FileChannel, long)}.
   *
   * @param offset in the file, a multiple of the page size of this machine
   * @param bytes at most the length of the file after the offset
   */
  public static NativeMemory mapShared(FileChannel file, long offset, long bytes)
      throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new NativeMemory(arena, file.map(MapMode.READ_WRITE, offset, bytes, arena), false);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** All of the memory. */
  public MemorySegment segment() {
    return segment;
  }

  /**
   * Backs a range with physical memory now, so that later writes do not fault. Its contents stay.
   *
   * @throws IOException if there is not enough memory; one sentence
   */
  public void populate(long offset, long length) throws IOException {
    MemorySegment range = segment.asSlice(offset, length);
    if (!LinuxMemory.populate(range)) {
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
    if (anonymous && !Time.isParallel() && RECYCLED.add(this)) {
      MAPPED.add(-segment.byteSize());
      return;
    }
    long start = System.nanoTime();
    while (true) {
      try {
        arena.close();
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
   * Small anonymous mappings that runs under a scheduler have left: a thousand such runs a second
   * would spend most of their time in the kernel, which maps and unmaps.
   */
  private static final class Recycled {
    private static final long LARGEST = 16 << 20;

    /** From this size on the kernel has zeros sooner, because little was written to. */
    private static final long SPARSE = 256 << 10;

    private static final int MOST_OF_A_SIZE = 64;

    private final Map<Long, Deque<NativeMemory>> bySize = new ConcurrentHashMap<>();

    @Nullable NativeMemory take(long bytes) {
      Deque<NativeMemory> unused = bySize.get(bytes);
      NativeMemory last = unused == null ? null : unused.pollLast();
      if (last == null) {
        return null;
      }
      if (bytes < SPARSE) {
        last.segment.fill((byte) 0);
      } else {
        LinuxMemory.discard(last.segment);
      }
      return new NativeMemory(last.arena, last.segment, true);
    }

    /** Keeps a mapping that nobody uses; false if it is too large or there are enough. */
    boolean add(NativeMemory unused) {
      if (unused.segment.byteSize() > LARGEST) {
        return false;
      }
      Deque<NativeMemory> others =
          bySize.computeIfAbsent(unused.segment.byteSize(), _ -> new ConcurrentLinkedDeque<>());
      return others.size() < MOST_OF_A_SIZE && others.add(unused);
    }
  }
}
