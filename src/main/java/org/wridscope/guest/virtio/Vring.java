// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.lang.invoke.VarHandle;

/**
 * The addresses of a split virtqueue in guest memory (virtio 1.2, 2.7). Its three parts:
 *
 * <pre>
 * descriptor table  size x { le64 addr; le32 len; le16 flags; le16 next }
 * available ring    le16 flags; le16 idx; size x le16 head; le16 used_event
 * used ring         le16 flags; le16 idx; size x { le32 id; le32 len }; le16 avail_event
 * </pre>
 *
 * Indices count modulo 65536; index {@code idx} refers to entry {@code idx % size}.
 *
 * @param size number of entries, a power of two up to {@value #MAX_SIZE}
 * @param desc address of the descriptor table, a multiple of 16
 * @param avail address of the available ring, a multiple of 2
 * @param used address of the used ring, a multiple of 4
 */
record Vring(int size, long desc, long avail, long used) {
  static final int MAX_SIZE = 32768;
  static final int INDEX_MASK = 0xffff;

  static final int F_NEXT = 1;
  static final int F_WRITE = 2;
  static final int F_INDIRECT = 4;

  private static final int DESC_BYTES = 16;
  private static final int USED_BYTES = 8;
  private static final int IDX = 2;
  private static final int RING = 4;

  /** A descriptor: a buffer, its flags, and the next descriptor of its chain, if any. */
  record Descriptor(long address, long length, int flags, int next) {}

  /** An entry of the used ring: the head of a chain, and how many bytes were written to it. */
  record Used(long id, long length) {}

  /**
   * Checks size and alignment.
   *
   * @throws IllegalArgumentException naming the value that is wrong
   */
  Vring {
    check(
        size >= 1 && size <= MAX_SIZE && Integer.bitCount(size) == 1,
        "size %d: it must be a power of two from 1 to %d",
        size,
        MAX_SIZE);
    checkAligned("descriptor table", desc, 16);
    checkAligned("available ring", avail, 2);
    checkAligned("used ring", used, 4);
  }

  private static void checkAligned(String part, long address, int alignment) {
    check(
        address % alignment == 0,
        "%s at 0x%x: it must be at a multiple of %d",
        part,
        address,
        alignment);
  }

  @SuppressWarnings("AnnotateFormatMethod") // its annotation would be a library for three methods
  private static void check(boolean fine, String message, Object... values) {
    if (!fine) {
      throw new IllegalArgumentException(message.formatted(values));
    }
  }

  /** A queue whose three parts follow each other. */
  static Vring at(long address, int size) {
    long avail = address + (long) DESC_BYTES * size;
    long used = (avail + RING + 2L * size + 2 + 3) & -4;
    return new Vring(size, address, avail, used);
  }

  /** Bytes from the descriptor table to the end of the used ring, as {@link #at} lays them out. */
  static long bytes(int size) {
    Vring ring = at(0, size);
    return ring.used + ring.usedBytes();
  }

  private long descBytes() {
    return (long) DESC_BYTES * size;
  }

  private long availBytes() {
    return RING + 2L * size + 2;
  }

  private long usedBytes() {
    return RING + (long) USED_BYTES * size + 2;
  }

  /**
   * Checks that the device can access all of it.
   *
   * @throws IllegalArgumentException naming the part that is not mapped
   */
  void requireMapped(MemoryMap map) {
    requireMapped(map, "descriptor table", desc, descBytes());
    requireMapped(map, "available ring", avail, availBytes());
    requireMapped(map, "used ring", used, usedBytes());
  }

  private static void requireMapped(MemoryMap map, String part, long address, long length) {
    check(
        map.covers(address, length),
        "%s of %d bytes at 0x%x: it must be in mapped memory".formatted(part, length, address));
  }

  /** Distance between two indices, 0 to 65535. */
  static int distance(int from, int to) {
    return to - from & INDEX_MASK;
  }

  private int entry(int index) {
    return index & size - 1;
  }

  Descriptor descriptor(GuestMemory memory, int index) throws RingException {
    long at = desc + (long) DESC_BYTES * index;
    return new Descriptor(
        memory.u64(at), memory.u32(at + 8), memory.u16(at + 12), memory.u16(at + 14));
  }

  void putDescriptor(GuestMemory memory, int index, Descriptor descriptor) throws RingException {
    long at = desc + (long) DESC_BYTES * index;
    memory.putU64(at, descriptor.address);
    memory.putU32(at + 8, descriptor.length);
    memory.putU16(at + 12, descriptor.flags);
    memory.putU16(at + 14, descriptor.next);
  }

  int availIndex(GuestMemory memory) throws RingException {
    int index = memory.u16(avail + IDX);
    // The device must not read entries before the index that makes them available.
    VarHandle.acquireFence();
    return index;
  }

  int availEntry(GuestMemory memory, int index) throws RingException {
    return memory.u16(avail + RING + 2L * entry(index));
  }

  /** Makes a chain available: the entry first, then the index. */
  void makeAvailable(GuestMemory memory, int head) throws RingException {
    int index = memory.u16(avail + IDX);
    memory.putU16(avail + RING + 2L * entry(index), head);
    VarHandle.releaseFence();
    memory.putU16(avail + IDX, index + 1);
  }

  int usedIndex(GuestMemory memory) throws RingException {
    int index = memory.u16(used + IDX);
    VarHandle.acquireFence();
    return index;
  }

  Used usedEntry(GuestMemory memory, int index) throws RingException {
    long at = used + RING + (long) USED_BYTES * entry(index);
    return new Used(memory.u32(at), memory.u32(at + 4));
  }

  /** Writes the entry at an index, and then the next index. */
  void putUsed(GuestMemory memory, int index, Used entry) throws RingException {
    long at = used + RING + (long) USED_BYTES * entry(index);
    memory.putU32(at, entry.id);
    memory.putU32(at + 4, entry.length);
    VarHandle.releaseFence();
    memory.putU16(used + IDX, index + 1);
  }

  /** Fills it with zeros, as a driver does before it gives it to a device. */
  void clear(GuestMemory memory) throws RingException {
    clear(memory, desc, descBytes());
    clear(memory, avail, availBytes());
    clear(memory, used, usedBytes());
  }

  // In pieces of at most 16 bytes, since none may cross the border of two mappings.
  private static void clear(GuestMemory memory, long address, long length) throws RingException {
    long end = address + length;
    long at = address;
    while (at < end) {
      long next = Math.min(end, (at | 15) + 1);
      memory.fill(at, next - at, 0);
      at = next;
    }
  }
}
