// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The addresses that a device may access, and their memory: what a vDPA device gets with {@code
 * set_map}. Any other access is refused, as by an IOMMU.
 */
record MemoryMap(List<Mapping> mappings) {

  /**
   * A contiguous range.
   *
   * @param address of its first byte, as used in descriptors
   * @param memory of the range
   * @param offset of its first byte in the RAM block
   */
  record Mapping(long address, MemorySegment memory, long offset) {
    boolean contains(long at, long length) {
      long distance = at - address;
      return distance >= 0 && length >= 0 && distance <= memory.byteSize() - length;
    }
  }

  MemoryMap {
    mappings = List.copyOf(mappings);
  }

  /**
   * The mapping that contains a range.
   *
   * @throws RingException when it does not lie within one
   */
  Mapping find(long address, long length) throws RingException {
    // Each word of a queue is looked up, so no iterator is made.
    for (int i = 0, count = mappings.size(); i < count; i++) {
      Mapping mapping = mappings.get(i);
      if (mapping.contains(address, length)) {
        return mapping;
      }
    }
    throw new RingException("%d bytes at 0x%x are not mapped".formatted(length, address));
  }

  /** Whether each byte of a range is mapped, by one or several mappings. */
  boolean covers(long address, long length) {
    long at = address;
    long left = length;
    while (left > 0) {
      long from = at;
      Mapping next = mappings.stream().filter(m -> m.contains(from, 1)).findFirst().orElse(null);
      if (next == null) {
        return false;
      }
      long step = Math.min(left, next.address + next.memory.byteSize() - at);
      at += step;
      left -= step;
    }
    return true;
  }
}
