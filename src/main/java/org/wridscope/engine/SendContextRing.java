// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.jspecify.annotations.Nullable;

/**
 * The contexts of a send queue, one for each of its slots, in a circular queue as in the Linux
 * kernel's xprtrdma ({@code rpcrdma_sendctx_get_locked}). Contexts are taken in the order of
 * posting and put back in the same order, in which the requests of a send queue complete, so two
 * counters tell which are in use.
 *
 * <p>A slot of the device's send queue is occupied for as long as its context is in use. So whoever
 * has taken a context can post, and the queue never overflows.
 *
 * <p>In xprtrdma the queue is lock-free, because completions are handled in another context, a soft
 * interrupt. Here one thread, the engine's, both posts and polls for completions, so the counters
 * are plain fields. Not thread-safe.
 */
final class SendContextRing {
  private final int capacity;
  private final int mask;
  private final SendContext[] contexts;

  /** Number of contexts taken so far. */
  private long posted;

  /** Number of contexts put back so far. */
  private long covered;

  /**
   * @param capacity slots of the send queue, at least 1
   */
  SendContextRing(int capacity) {
    this.capacity = capacity;
    int slots = Integer.highestOneBit(Math.max(1, capacity - 1)) << 1;
    mask = slots - 1;
    contexts = new SendContext[slots];
    for (int i = 0; i < slots; i++) {
      contexts[i] = new SendContext();
    }
  }

  /** Number of contexts taken so far. */
  long taken() {
    return posted;
  }

  /** Number of contexts in use. */
  int inUse() {
    return (int) (posted - covered);
  }

  /** Number of contexts that can be taken. */
  int free() {
    return capacity - inUse();
  }

  /** Takes the next context, or returns null if all are in use. */
  @Nullable SendContext take() {
    return free() == 0 ? null : contexts[(int) posted++ & mask];
  }

  /** Returns the context that was taken last, which was not used. */
  void untake() {
    posted--;
  }

  /** The context that was taken first of those in use, or null if none is. */
  @Nullable SendContext oldest() {
    return peek(0);
  }

  /** The context in use that was taken after {@code behind} others, or null if there is none. */
  @Nullable SendContext peek(int behind) {
    return behind >= inUse() ? null : contexts[(int) (covered + behind) & mask];
  }

  /** Puts the oldest context back. */
  void putBack() {
    if (inUse() == 0) {
      throw new IllegalStateException("no send context is in use");
    }
    covered++;
  }
}
