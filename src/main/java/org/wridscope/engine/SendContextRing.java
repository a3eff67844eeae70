// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of a send queue, as many as it has slots, in a ring without locks between one who
 * posts and one who takes completions; here both are the engine's thread. Contexts are handed out
 * in the order of posting and come back in the same order, as the requests of a send queue
 * complete, so that two counters say all: whose are in use, and how many are free (the Linux
 * kernel's xprtrdma, {@code rpcrdma_sendctx_get_locked}).
 *
 * <p>A slot of the device's send queue is occupied for exactly as long as its context is. So who
 * has a context can post, and the queue never overflows.
 */
final class SendContextRing {
  private static final VarHandle POSTED;
  private static final VarHandle COVERED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      POSTED = lookup.findVarHandle(SendContextRing.class, "posted", long.class);
      COVERED = lookup.findVarHandle(SendContextRing.class, "covered", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int capacity;
  private final int mask;
  private final SendContext[] contexts;

  /** Contexts handed out so far; written by who posts. */
  private long posted;

  /** Contexts that came back so far; written by who takes completions. */
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

  int capacity() {
    return capacity;
  }

  /** How many are in use. */
  int inUse() {
    long back = (long) COVERED.getAcquire(this);
    return (int) ((long) POSTED.getAcquire(this) - back);
  }

  /**
   * For who posts: how many are free, at least; who takes completions may add to them meanwhile.
   */
  int free() {
    return capacity - (int) (posted - (long) COVERED.getAcquire(this));
  }

  /** For who posts: the next context, or null when the ring is empty. It is in use from now on. */
  @Nullable SendContext take() {
    long at = posted;
    if (at - (long) COVERED.getAcquire(this) == capacity) {
      return null;
    }
    POSTED.setRelease(this, at + 1);
    return contexts[(int) at & mask];
  }

  /** For who posts: the context that was taken last was not used after all. */
  void untake() {
    POSTED.setRelease(this, posted - 1);
  }

  /** For who takes completions: the context that was handed out first, or null when none is out. */
  @Nullable SendContext oldest() {
    return peek(0);
  }

  /**
   * For who takes completions: the context that was handed out as so many others were before it.
   */
  @Nullable SendContext peek(int behind) {
    long at = covered + behind;
    return at >= (long) POSTED.getAcquire(this) ? null : contexts[(int) at & mask];
  }

  /** For who takes completions: the oldest context comes back. */
  void putBack() {
    if (covered == (long) POSTED.getAcquire(this)) {
      throw new IllegalStateException("more send contexts came back than were handed out");
    }
    COVERED.setRelease(this, covered + 1);
  }
}
