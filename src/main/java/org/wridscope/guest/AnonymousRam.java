// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.wridscope.memory.AvailableMemory;
import org.wridscope.memory.Holes;
import org.wridscope.memory.NativeMemory;
import org.wridscope.memory.RamBlock;
import org.wridscope.text.Format;

/** The RAM blocks of a guest, each in anonymous memory of its own. */
final class AnonymousRam implements AutoCloseable {
  /** So few bytes that it takes longer to ask than to find out. */
  private static final long ALWAYS_AVAILABLE = 8 << 20;

  private final List<NativeMemory> memories = new ArrayList<>();
  private final List<RamBlock> blocks = new ArrayList<>();
  private final List<RamBlock> readOnly = Collections.unmodifiableList(blocks);

  /**
   * Checks that this machine has so many bytes of memory available: the kernel promises more than
   * it has, and kills a process when it cannot keep the promise.
   *
   * @param message with two %s, for the needed and the available memory
   * @throws GuestException with that message when it has not
   */
  static void requireAvailable(long needed, String message) throws GuestException {
    if (needed <= ALWAYS_AVAILABLE) {
      return;
    }
    long available = AvailableMemory.bytesHere();
    if (needed > available) {
      throw new GuestException(message.formatted(Format.bytes(needed), Format.bytes(available)));
    }
  }

  /**
   * Adds a block, all zero, for which no physical memory is taken yet.
   *
   * @throws IOException when the kernel refuses; one sentence
   */
  void add(String name, long length) throws IOException {
    add(name, NativeMemory.allocate(length));
  }

  /** As {@link #add(String, long)}, for a block of which little is written to. */
  void addSparse(String name, long length) throws IOException {
    add(name, NativeMemory.allocateSparse(length));
  }

  /**
   * As {@link #add(String, long)}, for a block whose contents are brought from elsewhere.
   *
   * @param sparse whether that is little of it
   */
  void add(String name, long length, Holes holes, boolean sparse) throws IOException {
    NativeMemory memory =
        sparse ? NativeMemory.allocateSparse(length) : NativeMemory.allocate(length);
    memories.add(memory);
    blocks.add(new RamBlock(name, memory.segment(), holes));
  }

  private void add(String name, NativeMemory memory) {
    memories.add(memory);
    blocks.add(new RamBlock(name, memory));
  }

  /** In the order in which they were added; the same list every time. */
  List<RamBlock> blocks() {
    return readOnly;
  }

  /** The memory of the block with this index. */
  NativeMemory memory(int block) {
    return memories.get(block);
  }

  @Override
  public void close() {
    memories.reversed().forEach(NativeMemory::close);
  }
}
