// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Guest memory as accessed by devices and drivers: little-endian fields (virtio 1.2, 1.4) at
 * addresses of a {@link MemoryMap}. An access must lie within one mapping.
 */
final class GuestMemory {
  private static final ValueLayout.OfShort LE16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt LE32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LE64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemoryMap map;
  private final WriteObserver observer;

  GuestMemory(MemoryMap map, WriteObserver observer) {
    this.map = map;
    this.observer = observer;
  }

  MemoryMap map() {
    return map;
  }

  int u8(long address) throws RingException {
    MemoryMap.Mapping at = map.find(address, Byte.BYTES);
    return Byte.toUnsignedInt(at.memory().get(ValueLayout.JAVA_BYTE, address - at.address()));
  }

  int u16(long address) throws RingException {
    MemoryMap.Mapping at = map.find(address, Short.BYTES);
    return Short.toUnsignedInt(at.memory().get(LE16, address - at.address()));
  }

  long u32(long address) throws RingException {
    MemoryMap.Mapping at = map.find(address, Integer.BYTES);
    return Integer.toUnsignedLong(at.memory().get(LE32, address - at.address()));
  }

  long u64(long address) throws RingException {
    MemoryMap.Mapping at = map.find(address, Long.BYTES);
    return at.memory().get(LE64, address - at.address());
  }

  byte[] read(long address, int length) throws RingException {
    MemoryMap.Mapping at = map.find(address, length);
    return at.memory().asSlice(address - at.address(), length).toArray(ValueLayout.JAVA_BYTE);
  }

  void putU8(long address, int value) throws RingException {
    write(address, Byte.BYTES, (memory, at) -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value));
  }

  void putU16(long address, int value) throws RingException {
    write(address, Short.BYTES, (memory, at) -> memory.set(LE16, at, (short) value));
  }

  void putU32(long address, long value) throws RingException {
    write(address, Integer.BYTES, (memory, at) -> memory.set(LE32, at, (int) value));
  }

  void putU64(long address, long value) throws RingException {
    write(address, Long.BYTES, (memory, at) -> memory.set(LE64, at, value));
  }

  void write(long address, byte[] bytes, int from, int length) throws RingException {
    write(
        address,
        length,
        (memory, at) -> MemorySegment.copy(bytes, from, memory, ValueLayout.JAVA_BYTE, at, length));
  }

  void fill(long address, long length, int value) throws RingException {
    write(address, length, (memory, at) -> memory.asSlice(at, length).fill((byte) value));
  }

  private interface Store {
    void into(MemorySegment memory, long at);
  }

  private void write(long address, long length, Store store) throws RingException {
    MemoryMap.Mapping mapping = map.find(address, length);
    if (length == 0) {
      return;
    }
    long at = address - mapping.address();
    observer.beforeWrite(mapping.offset() + at, length);
    store.into(mapping.memory(), at);
    observer.written(mapping.offset() + at, length);
  }
}
