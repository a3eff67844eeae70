// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.wridscope.memory.NativeMemory;

/**
 * The buffers of control messages of connections that come and go. To unmap memory stops all
 * threads for a moment, so that a thousand strangers would hold up the source: what one connection
 * has returned is used for the next. All connections need equally much.
 *
 * <p>Belongs to the session's thread.
 */
final class MessageMemory implements AutoCloseable {
  private final Deque<NativeMemory> free = new ArrayDeque<>();
  private boolean closed;

  /** The buffers of a connection, until they are closed. */
  record Lease(MemorySegment segment, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }

  /** Buffers for a connection that is the only one. */
  static Lease single(long bytes) throws IOException {
    NativeMemory memory = NativeMemory.allocateSparse(bytes);
    return new Lease(memory.segment(), memory::close);
  }

  /**
   * Buffers for one more connection, which may have messages of a former one.
   *
   * @param bytes always the same
   */
  Lease take(long bytes) throws IOException {
    NativeMemory memory = free.isEmpty() ? NativeMemory.allocateSparse(bytes) : free.pop();
    return new Lease(memory.segment(), () -> giveBack(memory));
  }

  private void giveBack(NativeMemory memory) {
    if (closed) {
      memory.close();
    } else {
      free.push(memory);
    }
  }

  /** No connection comes any more: unmaps what is free, and the rest once it is returned. */
  @Override
  public void close() {
    closed = true;
    while (!free.isEmpty()) {
      free.pop().close();
    }
  }
}
