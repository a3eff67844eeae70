// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;

/** The addresses of mapped memory under a schedule: given in the order in which it was mapped. */
final class Addresses {
  /** Of the first memory; in the range that the kernel uses for mappings on x86. */
  private static final long FIRST = 0x7f00_0000_0000L;

  /** Alignment of each, that of a huge page. */
  private static final long ALIGNMENT = 2 << 20;

  /** By the address at which the kernel has mapped it. */
  private final TreeMap<Long, Mapping> mappings = new TreeMap<>();

  private long next = FIRST;

  private record Mapping(long length, long address) {}

  void add(MemorySegment memory) {
    mappings.put(memory.address(), new Mapping(memory.byteSize(), next));
    next += Math.ceilDiv(memory.byteSize(), ALIGNMENT) * ALIGNMENT;
  }

  void remove(MemorySegment memory) {
    mappings.remove(memory.address());
  }

  /** The address of all or a part of mapped memory. */
  long of(MemorySegment memory) {
    Map.Entry<Long, Mapping> before = mappings.floorEntry(memory.address());
    if (before == null
        || memory.address() + memory.byteSize() > before.getKey() + before.getValue().length) {
      throw new IllegalStateException("the memory was not mapped under this schedule");
    }
    return before.getValue().address + (memory.address() - before.getKey());
  }
}
