// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;

/**
 * What the engine holds for a request on the send queue: the device may use it until a completion
 * covers the request. Belongs to a {@link SendContextRing} and is used again and again.
 */
final class SendContext {

  /** Something that the device needs for a request, such as a memory region. */
  @FunctionalInterface
  interface Held {
    /**
     * The device is done with it.
     *
     * @param arrived whether the request succeeded
     */
    void release(boolean arrived) throws IOException;
  }

  private long workRequestId;
  private boolean signaled;
  private @Nullable ChunkTable table;
  private int index;
  private int length;
  private @Nullable Held held;

  /**
   * Makes this the context of an RDMA WRITE, of which the chunk has one more in transit.
   *
   * @param length its bytes
   * @param also what is to be released besides, if anything
   */
  SendContext write(
      long workRequestId,
      boolean signaled,
      ChunkTable table,
      int chunk,
      int length,
      @Nullable Held also) {
    this.workRequestId = workRequestId;
    this.signaled = signaled;
    this.table = table;
    index = chunk;
    this.length = length;
    held = also;
    return this;
  }

  /** Makes this the context of the signaled SEND of a control message from a buffer. */
  SendContext message(long workRequestId, int buffer, int length) {
    this.workRequestId = workRequestId;
    signaled = true;
    table = null;
    index = buffer;
    this.length = length;
    held = null;
    return this;
  }

  long workRequestId() {
    return workRequestId;
  }

  boolean signaled() {
    return signaled;
  }

  /** The block that an RDMA WRITE is of; null for a control message. */
  @Nullable ChunkTable table() {
    return table;
  }

  int chunk() {
    return index;
  }

  /** Bytes of the request. */
  int length() {
    return length;
  }

  int buffer() {
    return index;
  }

  /** Takes out what is to be released, once. */
  @Nullable Held takeHeld() {
    Held taken = held;
    held = null;
    return taken;
  }
}
