// SPDX-License-Identifier: Apache-2.0
package org.wridscope.memory;

import java.lang.foreign.MemorySegment;
import org.wridscope.time.Time;

/**
 * A named, page-aligned range of guest memory, called RAMBlock in QEMU.
 *
 * @param name unique within a guest, 1 to 255 bytes of ASCII, for example {@code pc.ram}
 * @param memory native memory, a whole number of pages of {@value #PAGE_SIZE} bytes
 */
public record RamBlock(String name, MemorySegment memory) {
  /** Page size of the guests that can be migrated (x86), in bytes. */
  public static final int PAGE_SIZE = 4096;

  /** log2 of {@link #PAGE_SIZE}. */
  public static final int PAGE_SHIFT = 12;

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
}
