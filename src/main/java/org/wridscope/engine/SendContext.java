// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;

/**
 * What the engine keeps for a request on the send queue until a completion covers it. Belongs to a
 * {@link SendContextRing} and is reused.
 */
final class SendContext {

  /** A resource that the device uses for a request, such as a memory region. */
  @FunctionalInterface
  interface Held {
    /**
     * Releases the resource, which the device no longer uses.
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
   * Makes this the context of an RDMA WRITE.
   *
   * @param length bytes of the request
   * @param also to be released with it, if anything
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

  /** Makes this the context of the SEND of a control message, which is signaled. */
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

  /** The block of an RDMA WRITE; null for a control message. */
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

  /** Removes and returns what is to be released. */
  @Nullable Held takeHeld() {
    Held taken = held;
    held = null;
    return taken;
  }
}
