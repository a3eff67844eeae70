// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.foreign.MemorySegment;
import org.wridscope.time.Time;

/**
 * A named, page-aligned range of guest memory, called RAMBlock in QEMU.
 *
 * @param name unique within a guest, 1 to 255 bytes of ASCII, for example {@code pc.ram}
 * @param memory native memory, a whole number of pages of {@value #PAGE_SIZE} bytes
 * @param holes which of its pages do not exist
 */
public record RamBlock(String name, MemorySegment memory, Holes holes) {
  /** Page size of the guests that can be migrated (x86), in bytes. */
  public static final int PAGE_SIZE = 4096;

  /** log2 of {@link #PAGE_SIZE}. */
  public static final int PAGE_SHIFT = 12;

  /** Most bytes that are looked at before it is asked again which pages exist. */
  private static final long MOST_AT_ONCE = 1 << 20;

  public RamBlock {
    if (name.isEmpty()
        || name.length() > 255
        || !name.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
      throw new IllegalArgumentException(
          "RAM block name '%s': 1 to 255 printable ASCII characters are allowed".formatted(name));
    }
    if (memory.byteSize() == 0 || memory.byteSize() % PAGE_SIZE != 0) {
      throw new IllegalArgumentException(
          "RAM block %s: length %d is not a positive multiple of %d"
              .formatted(name, memory.byteSize(), PAGE_SIZE));
    }
    if (!memory.isNative()) {
      throw new IllegalArgumentException("RAM block %s: memory is not native".formatted(name));
    }
  }

  /** All of a memory. */
  public RamBlock(String name, NativeMemory memory) {
    this(name, memory.segment(), memory.holes());
  }

  /** Memory of which it is not known which pages exist. */
  public RamBlock(String name, MemorySegment memory) {
    this(name, memory, Holes.UNKNOWN);
  }

  /** The address of the first byte, as work requests and peers name it. */
  public long address() {
    return Time.address(memory);
  }

  /** Length in bytes. */
  public long length() {
    return memory.byteSize();
  }

  public long pages() {
    return length() >> PAGE_SHIFT;
  }

  /** Whether pages are all zero; allocates none of those that do not exist. */
  public boolean isZero(long offset, long length) {
    return allExisting(offset, length, (at, bytes) -> ZeroPages.isZero(memory, at, bytes));
  }

  /**
   * Makes pages zero; allocates none of those that do not exist, and gives none back: a device that
   * has one pinned would go on writing to it, while the guest has another.
   */
  public void clear(long offset, long length) {
    boolean _ =
        allExisting(
            offset,
            length,
            (at, bytes) -> {
              if (!ZeroPages.isZero(memory, at, bytes)) {
                memory.asSlice(at, bytes).fill((byte) 0);
              }
              return true;
            });
  }

  private interface Pages {
    boolean test(long offset, long length);
  }

  /**
   * Whether a test holds for all pages that exist, and for at most as many neighbours that do not:
   * each step is twice as long as the last, since a question takes as long as to read some pages.
   */
  private boolean allExisting(long offset, long length, Pages test) {
    long end = offset + length;
    long step = PAGE_SIZE;
    long at = offset;
    while (at < end) {
      long data = holes.nextData(at, end);
      if (data == end) {
        return true;
      }
      step = data == at ? Math.min(2 * step, MOST_AT_ONCE) : PAGE_SIZE;
      long bytes = Math.min(step, end - data);
      if (!test.test(data, bytes)) {
        return false;
      }
      at = data + bytes;
    }
    return true;
  }
}
