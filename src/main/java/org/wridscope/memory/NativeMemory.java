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
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Page-aligned memory outside the Java heap that a guest's RAM and messages live in. Once it is
 * closed, an access through its segment throws an {@link IllegalStateException}.
 */
public final class NativeMemory implements AutoCloseable {
  /** Of a huge page on x86-64, and on aarch64 with pages of 4 KiB. */
  private static final long HUGE_PAGE = 2L << 20;

  /** Populated by one thread at a time, so that threads share the work evenly. */
  private static final long POPULATE_STEP = 32L << 20;

  private static final long CLOSE_DEADLINE_NANOS = 5_000_000_000L;

  private static final LongAdder MAPPED = new LongAdder();

  private static final VarHandle INTS = ValueLayout.JAVA_INT.varHandle();

  private final Arena arena;
  private final MemorySegment segment;
  private final AtomicBoolean closed = new AtomicBoolean();

  private NativeMemory(Arena arena, MemorySegment segment) {
    this.arena = arena;
    this.segment = segment;
    MAPPED.add(segment.byteSize());
  }

  /** Bytes of all such memory in this process, backed by physical memory or not. */
  public static long mappedBytes() {
    return MAPPED.sum();
  }

  /**
   * Maps anonymous memory, all zero, and asks for huge pages. Physical memory is taken when a page
   * is first written, or by {@link #populate}.
   *
   * @param bytes at least 1
   * @throws IOException when the kernel refuses; one sentence
   */
  @SuppressWarnings("restricted")
  public static NativeMemory allocate(long bytes) throws IOException {
    // The kernel backs only aligned stretches with huge pages, and mmap(2) promises a page.
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
    LinuxMemory.adviseHugePages(segment);
    return new NativeMemory(arena, segment);
  }

  /**
   * Maps a file so that its bytes are read from it, and what is written never reaches it.
   *
   * @param bytes from the start of the file; it must have as many
   */
  @SuppressWarnings("restricted")
  public static NativeMemory mapPrivate(Path file, long bytes) throws IOException {
    MemorySegment mapped = LinuxMemory.mapPrivate(file, bytes);
    Arena arena = Arena.ofShared();
    return new NativeMemory(arena, mapped.reinterpret(bytes, arena, LinuxMemory::unmap));
  }

  /**
   * Maps a file so that what is written ends up in it, at the latest by {@link #force}.
   *
   * @param file open for reading and writing
   * @param bytes from the start of the file; it must have as many
   */
  public static NativeMemory mapShared(FileChannel file, long bytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new NativeMemory(arena, file.map(MapMode.READ_WRITE, 0, bytes, arena));
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /** All of it. */
  public MemorySegment segment() {
    return segment;
  }

  /**
   * Has the kernel back the range with memory now, so that no later write faults. What is in it
   * stays.
   *
   * @throws IOException when there is not enough memory; one sentence
   */
  public void populate(long offset, long length) throws IOException {
    MemorySegment range = segment.asSlice(offset, length);
    if (!LinuxMemory.populate(range)) {
      touch(range);
    }
  }

  /**
   * Gives the physical memory of a range back, of memory that was {@linkplain #allocate allocated};
   * it is all zero from then on.
   *
   * @param offset a multiple of the page size of this machine
   */
  public void discard(long offset, long length) {
    LinuxMemory.discard(segment.asSlice(offset, length));
  }

  /** Has each page written to, for a kernel that cannot populate. */
  static void touch(MemorySegment range) {
    for (long at = 0; at < range.byteSize(); at += RamBlock.PAGE_SIZE) {
      // A plain store of what was just loaded would be optimized away.
      var _ = (int) INTS.getAndBitwiseOr(range, at, 0);
    }
  }

  /**
   * As {@link #populate(long, long)}, for all of it.
   *
   * @param threads that do it, at least 1
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
   * Gives the memory back. Waits up to five seconds for native calls that are just using it.
   *
   * @throws IllegalStateException when they still do then
   */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    long start = System.nanoTime();
    while (true) {
      try {
        arena.close();
        MAPPED.add(-segment.byteSize());
        return;
      } catch (IllegalStateException e) {
        // A shared arena cannot be closed while a native call holds on to a segment of it.
        if (System.nanoTime() - start > CLOSE_DEADLINE_NANOS) {
          closed.set(false);
          throw new IllegalStateException(
              "guest memory is still being used by a native call after 5 s", e);
        }
        Thread.onSpinWait();
      }
    }
  }

  /** A number of bytes as a person reads it, for example {@code 8 GiB} or {@code 1.5 MiB}. */
  static String readable(long bytes) {
    int unit = Math.clamp((63 - Long.numberOfLeadingZeros(Math.max(1, bytes))) / 10, 0, 5);
    String text = String.format(Locale.ROOT, "%.1f", (double) bytes / (1L << (10 * unit)));
    text = text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    return text + " " + new String[] {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}[unit];
  }
}
