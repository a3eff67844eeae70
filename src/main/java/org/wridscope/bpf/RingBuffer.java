// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.wridscope.memory.NativeMemory;
import org.wridscope.process.SystemCall;

/**
 * Records of programs, in the order in which they began to write them; see the kernel's
 * Documentation/bpf/ringbuf.rst. One thread reads it.
 */
@SuppressWarnings("restricted")
public final class RingBuffer implements AutoCloseable {
  private static final VarHandle POSITION = JAVA_LONG.varHandle();
  private static final VarHandle LENGTH = JAVA_INT.varHandle();

  private static final int HEADER = 8;
  private static final int BUSY = 1 << 31;
  private static final int DISCARDED = 1 << 30;
  private static final int READ = 1;
  private static final int WRITE = 2;
  private static final int SHARED = 1;

  private final BpfMap map;
  private final int bytes;

  /** A page with the position up to which was read, and then one with that of the writers. */
  private final MemorySegment read;

  private final MemorySegment written;

  /** The records; the second half is the first one again, so that no record is in two pieces. */
  private final MemorySegment data;

  /**
   * Creates it.
   *
   * @param bytes a power of two, at least the page size
   * @throws IOException if this kernel has none, being older than 5.8, or does not allow it
   */
  public RingBuffer(int bytes) throws IOException {
    this.bytes = bytes;
    long page = NativeMemory.hostPage();
    map = BpfMap.ringBuffer(bytes);
    MemorySegment first = MemorySegment.NULL;
    try {
      first = map(page, READ | WRITE, 0);
      MemorySegment rest = map(page + 2L * bytes, READ, page);
      read = first;
      written = rest;
      data = rest.asSlice(page);
    } catch (IOException e) {
      unmap(first);
      map.close();
      throw e;
    }
  }

  private MemorySegment map(long length, int protection, long offset) throws IOException {
    long address = SystemCall.MMAP.call(0, length, protection, SHARED, map.descriptor(), offset);
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  private static void unmap(MemorySegment mapped) {
    try {
      if (mapped.byteSize() > 0) {
        SystemCall.MUNMAP.call(mapped.address(), mapped.byteSize());
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where programs write to. */
  public BpfMap map() {
    return map;
  }

  /**
   * Reads the records that programs have begun before this call, up to one that is still written.
   *
   * @param reader receives each; it is valid until the reader returns
   * @return whether all of them were read
   */
  public boolean read(Consumer<MemorySegment> reader) {
    long at = read.get(JAVA_LONG, 0);
    long end = (long) POSITION.getAcquire(written, 0L);
    while (at < end) {
      long place = at & (bytes - 1);
      int length = (int) LENGTH.getAcquire(data, place);
      if ((length & BUSY) != 0) {
        return false;
      }
      int size = length & ~DISCARDED;
      if ((length & DISCARDED) == 0) {
        reader.accept(data.asSlice(place + HEADER, size));
      }
      at += HEADER + ((size + HEADER - 1L) & -HEADER);
      POSITION.setRelease(read, 0L, at);
    }
    return true;
  }

  @Override
  public void close() {
    unmap(read);
    unmap(written);
    map.close();
  }
}
