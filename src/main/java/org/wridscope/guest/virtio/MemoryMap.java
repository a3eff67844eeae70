// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The addresses that a device may reach, and the memory behind them: what a vDPA device gets by
 * {@code set_map}. Anything else it asks for is refused, as an IOMMU does.
 */
record MemoryMap(List<Mapping> mappings) {

  /**
   * One stretch.
   *
   * @param address of its first byte, as descriptors name it
   * @param memory behind it
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
   * The mapping that an access falls into.
   *
   * @throws RingException when it does not lie within one
   */
  Mapping find(long address, long length) throws RingException {
    for (Mapping mapping : mappings) {
      if (mapping.contains(address, length)) {
        return mapping;
      }
    }
    throw new RingException("%d bytes at 0x%x are not mapped".formatted(length, address));
  }

  /** Whether each byte of a range is mapped, be it by several mappings. */
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
