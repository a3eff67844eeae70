// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.virtio;

import java.util.ArrayList;
import java.util.List;

/**
 * The buffers of a descriptor chain: first those that the device reads, then those that it writes
 * (virtio 1.2, 2.7.4.2). How a driver divides a message into buffers has no meaning (2.7.4), so
 * each part is addressed as one sequence of bytes.
 */
final class Chain {
  /** Far more than any request of ours; limits the work that a hostile chain can cause. */
  static final long MAX_BYTES = 1 << 20;

  private record Buffer(long address, int length) {}

  private final GuestMemory memory;
  private final List<Buffer> readable = new ArrayList<>();
  private final List<Buffer> writable = new ArrayList<>();

  private Chain(GuestMemory memory) {
    this.memory = memory;
  }

  /**
   * Reads the chain that begins at a head.
   *
   * @throws RingException when it is too long, has a loop, or leaves the table or mapped memory
   */
  static Chain read(GuestMemory memory, Vring vring, int head) throws RingException {
    Chain chain = new Chain(memory);
    long total = 0;
    int index = head;
    for (int count = 1; ; count++) {
      if (index >= vring.size()) {
        throw new RingException(
            "descriptor %d of the chain at %d: the table has %d"
                .formatted(index, head, vring.size()));
      }
      if (count > vring.size()) {
        throw new RingException("the chain at %d is a loop".formatted(head));
      }
      Vring.Descriptor descriptor = vring.descriptor(memory, index);
      total += descriptor.length();
      if (total > MAX_BYTES) {
        throw new RingException(
            "the chain at %d has %d bytes or more: at most %d are allowed"
                .formatted(head, total, MAX_BYTES));
      }
      chain.add(descriptor, index);
      if ((descriptor.flags() & Vring.F_NEXT) == 0) {
        return chain;
      }
      index = descriptor.next();
    }
  }

  private void add(Vring.Descriptor descriptor, int index) throws RingException {
    if ((descriptor.flags() & Vring.F_INDIRECT) != 0) {
      throw new RingException(
          "descriptor %d is indirect, which was not negotiated".formatted(index));
    }
    boolean write = (descriptor.flags() & Vring.F_WRITE) != 0;
    if (!write && !writable.isEmpty()) {
      throw new RingException(
          "descriptor %d is to be read, but follows one to be written".formatted(index));
    }
    memory.map().find(descriptor.address(), descriptor.length());
    (write ? writable : readable).add(new Buffer(descriptor.address(), (int) descriptor.length()));
  }

  int readableBytes() {
    return readable.stream().mapToInt(Buffer::length).sum();
  }

  int writableBytes() {
    return writable.stream().mapToInt(Buffer::length).sum();
  }

  /** The content of all readable buffers. */
  byte[] read() throws RingException {
    byte[] bytes = new byte[readableBytes()];
    int at = 0;
    for (Buffer buffer : readable) {
      System.arraycopy(memory.read(buffer.address, buffer.length), 0, bytes, at, buffer.length);
      at += buffer.length;
    }
    return bytes;
  }

  /**
   * Writes bytes to the writable buffers, which must be large enough.
   *
   * @param position of the first byte in the writable part
   */
  void write(int position, byte[] bytes) throws RingException {
    int begin = 0;
    for (Buffer buffer : writable) {
      int from = Math.max(begin, position);
      int to = Math.min(begin + buffer.length, position + bytes.length);
      if (from < to) {
        memory.write(buffer.address + from - begin, bytes, from - position, to - from);
      }
      begin += buffer.length;
    }
  }
}
