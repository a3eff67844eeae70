// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.Parallel;
import org.wridscope.memory.RamBlock;

/**
 * Finds writes by comparing shared memory with a copy of it, which then follows. Finds every
 * change, whoever made it, needs no permission and no feature of the kernel, and costs memory for
 * the copy and a pass over all memory each time. It allocates nothing in the file that is shared:
 * pages that the file does not have are not read.
 *
 * <p>Who reads the copy reads what was compared: it changes only in {@link #start} and {@link
 * #take}.
 */
public final class CompareTracker implements WriteTracker {
  /** Bytes that a thread compares at a time, so that threads share the work evenly. */
  private static final long STEP = 4L << 20;

  /**
   * Bytes that are copied to the heap and compared there, which fit the first-level cache. The
   * vector code of a comparison must not read the shared file: if that is truncated meanwhile, the
   * process would crash, while a copy throws an {@link InternalError}.
   */
  private static final int PIECE = 16 << 10;

  /** Of a range of which more than one in so many pages exist, the copy has huge pages. */
  private static final int DENSE = 8;

  private static final int PAGE = RamBlock.PAGE_SIZE;

  private final List<MemorySegment> shared;
  private final List<ResidentPages> resident = new ArrayList<>();
  private final List<NativeMemory> copies = new ArrayList<>();

  /** The pages of each copy that may be other than zero. */
  private final List<DirtyBitmap> held = new ArrayList<>();

  private final int threads;

  /**
   * Allocates the copy, all zero until {@link #start}.
   *
   * @param ranges what is shared
   * @param shared where it is mapped, of the same length each; not owned, and to be closed after
   *     this
   * @throws IOException if there is not enough memory; one sentence
   */
  public CompareTracker(List<SharedRange> ranges, List<MemorySegment> shared) throws IOException {
    this.shared = List.copyOf(shared);
    threads = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, 4);
    try {
      for (int i = 0; i < ranges.size(); i++) {
        SharedRange range = ranges.get(i);
        if (shared.get(i).byteSize() != range.length()) {
          throw new IllegalArgumentException(
              "%d bytes are mapped of %d".formatted(shared.get(i).byteSize(), range.length()));
        }
        resident.add(ResidentPages.of(range));
        copies.add(
            isSparse(resident.getLast(), range)
                ? NativeMemory.allocateSparse(range.length())
                : NativeMemory.allocate(range.length()));
        held.add(new DirtyBitmap(range.pages()));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Whether huge pages would make the copy much larger than what there is. */
  private static boolean isSparse(ResidentPages resident, SharedRange range) throws IOException {
    return resident.now().count() < range.pages() / DENSE;
  }

  /** The copies, in the order of the ranges; they are released by {@link #close}. */
  public List<NativeMemory> copies() {
    return List.copyOf(copies);
  }

  @Override
  public synchronized void start() throws IOException {
    for (int range = 0; range < copies.size(); range++) {
      follow(range, null);
    }
  }

  @Override
  public synchronized void take(List<DirtyBitmap> into) throws IOException {
    for (int range = 0; range < copies.size(); range++) {
      follow(range, into.get(range));
    }
  }

  private void follow(int range, @Nullable DirtyBitmap into) throws IOException {
    MemorySegment from = shared.get(range);
    MemorySegment copy = copies.get(range).segment();
    long bytes = copy.byteSize();
    DirtyBitmap present = resident.get(range).now();
    try {
      Parallel.forEach(
          threads,
          Math.ceilDiv(bytes, STEP),
          i -> {
            var step = new Step(from, copy, present, held.get(range), into);
            step.follow(i * STEP, Math.min(bytes, (i + 1) * STEP));
          });
    } catch (InternalError e) {
      throw new IOException(
          "the shared memory could not be read; the file must not be truncated.", e);
    }
  }

  /** One part of a range, whose pages start at a word of the bitmap. */
  private record Step(
      MemorySegment from,
      MemorySegment copy,
      DirtyBitmap present,
      DirtyBitmap held,
      @Nullable DirtyBitmap into) {

    void follow(long start, long end) {
      byte[] piece = new byte[PIECE];
      MemorySegment heap = MemorySegment.ofArray(piece);
      long at = start;
      while (at < end) {
        int length = present(at, Math.min(end, at + PIECE));
        if (length > 0) {
          MemorySegment.copy(from, ValueLayout.JAVA_BYTE, at, piece, 0, length);
          follow(heap, at, length);
          at += length;
        } else {
          forget(at);
          at = nextOfEither(at + PAGE, end);
        }
      }
    }

    /** The next page that the file has, or that the copy may have. */
    private long nextOfEither(long from, long end) {
      long page = from / PAGE;
      long there = present.nextSet(page, end / PAGE);
      return held.nextSet(page, there) * PAGE;
    }

    /** How many bytes from a position on are in pages that the file has. */
    private int present(long from, long end) {
      long at = from;
      while (at < end && present.get(at / PAGE)) {
        at += PAGE;
      }
      return (int) (at - from);
    }

    /** The file does not have this page, or no longer: it is zero. */
    private void forget(long at) {
      long page = at / PAGE;
      if (held.get(page)) {
        held.clear(page, page + 1);
        copy.asSlice(at, PAGE).fill((byte) 0);
        changed(page);
      }
    }

    /** Two threads never change the same word of a bitmap: a step is a multiple of 64 pages. */
    private void changed(long page) {
      if (into != null) {
        into.set(page);
      }
    }

    private void follow(MemorySegment heap, long at, int length) {
      int same = 0;
      while (same < length) {
        long differs = MemorySegment.mismatch(heap, same, length, copy, at + same, at + length);
        if (differs < 0) {
          return;
        }
        int page = (same + (int) differs) / PAGE * PAGE;
        MemorySegment.copy(heap, page, copy, at + page, PAGE);
        held.set((at + page) / PAGE);
        changed((at + page) / PAGE);
        same = page + PAGE;
      }
    }
  }

  @Override
  public boolean needsQuietTarget() {
    return false;
  }

  @Override
  public String description() {
    return "comparing memory with a copy";
  }

  @Override
  public synchronized void close() {
    copies.forEach(NativeMemory::close);
    resident.forEach(ResidentPages::close);
  }
}
