// SPDX-License-Identifier: Apache-2.0
package org.wridscope.process;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.wridscope.memory.DirtyBitmap;
import org.wridscope.memory.RamBlock;

/**
 * Finds writes with the kernel's soft-dirty bits, see Documentation/admin-guide/mm/soft-dirty.rst.
 * Bits are read and then cleared in two steps, so that the process must stand still for both.
 *
 * <p>The bit of a page is lost when the kernel takes the page from the process, to swap it out or
 * because it is of a file on a disk. A page that was there and is not any more is reported; for one
 * that came and went in between, the memory must be of a kind that the kernel does not take ({@link
 * WriteTrackers}).
 */
public final class SoftDirtyTracker implements WriteTracker {
  private static final long SOFT_DIRTY = 1L << 55;
  private static final long SWAPPED = 1L << 62;
  private static final long PRESENT = 1L << 63;

  /** Bytes of {@code /proc/PID/pagemap} that are read at a time. */
  private static final int PIECE = 256 << 10;

  private static final int PAGE = RamBlock.PAGE_SIZE;

  private final long pid;
  private final List<SharedRange> ranges;
  private final FileChannel pagemap;
  private final FileChannel clear;
  private final List<DirtyBitmap> present = new ArrayList<>();
  private final ByteBuffer entries =
      ByteBuffer.allocateDirect(PIECE).order(ByteOrder.nativeOrder());

  /**
   * @param ranges of one process
   * @throws IOException if this process may not read and clear its bits; one sentence
   */
  public SoftDirtyTracker(List<SharedRange> ranges) throws IOException {
    this.ranges = List.copyOf(ranges);
    pid = this.ranges.getFirst().pid();
    for (SharedRange range : this.ranges) {
      present.add(new DirtyBitmap(range.pages()));
    }
    pagemap = open(pid, "pagemap", StandardOpenOption.READ);
    try {
      clear = open(pid, "clear_refs", StandardOpenOption.WRITE);
    } catch (IOException e) {
      pagemap.close();
      throw e;
    }
  }

  private static FileChannel open(long pid, String name, StandardOpenOption option)
      throws IOException {
    try {
      return FileChannel.open(Path.of("/proc/%d/%s".formatted(pid, name)), option);
    } catch (IOException e) {
      throw new IOException(
          "/proc/%d/%s cannot be opened; run Wridscope as the same user or as root."
              .formatted(pid, name),
          e);
    }
  }

  @Override
  public synchronized void start() throws IOException {
    for (int i = 0; i < ranges.size(); i++) {
      read(i, new DirtyBitmap(ranges.get(i).pages()));
    }
    clear();
  }

  @Override
  public synchronized void take(List<DirtyBitmap> into) throws IOException {
    for (int i = 0; i < ranges.size(); i++) {
      read(i, into.get(i));
    }
    clear();
    // Memory that is gone reads as if nobody had written to it.
    ProcessMaps.read(pid).requireMapped(ranges);
  }

  private void read(int index, DirtyBitmap into) throws IOException {
    SharedRange range = ranges.get(index);
    DirtyBitmap before = present.get(index);
    long first = range.address() / PAGE;
    long page = 0;
    while (page < range.pages()) {
      int count = (int) Math.min(PIECE / Long.BYTES, range.pages() - page);
      entries.clear().limit(count * Long.BYTES);
      while (entries.hasRemaining()) {
        long at = (first + page) * Long.BYTES + entries.position();
        if (pagemap.read(entries, at) <= 0) {
          throw new IOException("process %d has ended.".formatted(pid));
        }
      }
      for (int i = 0; i < count; i++, page++) {
        long entry = entries.getLong(i * Long.BYTES);
        boolean there = (entry & (PRESENT | SWAPPED)) != 0;
        boolean was = before.get(page);
        if ((there && (entry & SOFT_DIRTY) != 0) || (was && !there)) {
          into.set(page);
        }
        if (there != was) {
          if (there) {
            before.set(page);
          } else {
            before.clear(page, page + 1);
          }
        }
      }
    }
  }

  private void clear() throws IOException {
    // 4 clears the soft-dirty bits, and nothing else, of the whole process
    // (proc_pid_clear_refs(5)).
    ByteBuffer four = ByteBuffer.wrap("4".getBytes(US_ASCII));
    if (clear.write(four, 0) != 1) {
      throw new IOException(
          "the soft-dirty bits of process %d could not be cleared; it may have ended."
              .formatted(pid));
    }
  }

  @Override
  public boolean needsQuietTarget() {
    return true;
  }

  @Override
  public String description() {
    return "soft-dirty bits";
  }

  @Override
  public synchronized void close() {
    for (FileChannel channel : List.of(pagemap, clear)) {
      try {
        channel.close();
      } catch (IOException e) {
        // Nothing was buffered.
      }
    }
  }
}
