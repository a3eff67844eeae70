// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a test waits, in real time, for what there is no event of: {@code while (!holds())
 * limit.glance("what to come")}. Under a schedule, {@link org.wridscope.time.Time} does.
 */
public final class TimeLimit {
  private static final long GLANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Duration limit;
  private final long begin = System.nanoTime();

  public TimeLimit(Duration limit) {
    this.limit = limit;
  }

  /** A minute. */
  public TimeLimit() {
    this(Duration.ofMinutes(1));
  }

  /** What is waited for. */
  @FunctionalInterface
  public interface Condition<E extends Exception> {
    boolean holds() throws E;
  }

  /**
   * Waits until something holds.
   *
   * @throws AssertionError when the limit has passed, or the thread was interrupted, with what was
   *     waited for
   */
  public <E extends Exception> void await(String what, Condition<E> condition) throws E {
    try {
      while (!condition.holds()) {
        glance(what);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while it waited for " + what, e);
    }
  }

  /** Lets a moment pass; false when the limit has. */
  public boolean lasts() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    LockSupport.parkNanos(GLANCE_NANOS);
    return System.nanoTime() - begin < limit.toNanos();
  }

  /**
   * Lets a moment pass.
   *
   * @throws AssertionError when the limit has passed, with what was waited for
   */
  public void glance(String what) throws InterruptedException {
    if (!lasts()) {
      throw new AssertionError("waited %d s for %s".formatted(limit.toSeconds(), what));
    }
  }
}
