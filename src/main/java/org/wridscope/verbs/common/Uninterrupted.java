// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.wridscope.time.Time;

/** Waits that an interrupt does not end. The interrupt status of the thread is kept. */
public final class Uninterrupted {
  private Uninterrupted() {}

  private interface Wait {
    /** Waits for so many nanoseconds at most; false when that was not enough. */
    boolean await(long nanos) throws InterruptedException;
  }

  /**
   * Waits for a latch.
   *
   * @return false when the time ran out
   */
  public static boolean await(CountDownLatch latch, Duration limit) {
    return await(limit, nanos -> Time.await(latch, nanos));
  }

  /**
   * Waits for the end of a thread that was started.
   *
   * @return false when the time ran out
   */
  public static boolean join(Thread thread, Duration limit) {
    return await(limit, nanos -> Time.join(thread, nanos));
  }

  /**
   * Waits for the end of a process.
   *
   * @return false when the time ran out
   */
  public static boolean exit(Process process, Duration limit) {
    return await(limit, nanos -> process.waitFor(nanos, TimeUnit.NANOSECONDS));
  }

  /**
   * Takes a lock.
   *
   * @return false when the time ran out
   */
  public static boolean lock(Lock lock, Duration limit) {
    return await(limit, nanos -> lock.tryLock(nanos, TimeUnit.NANOSECONDS));
  }

  /**
   * Waits until a condition holds that others change while they hold a monitor, and notify then.
   *
   * @param monitor which this thread does not hold
   * @return false when the time ran out
   */
  public static boolean await(Object monitor, BooleanSupplier holds, Duration limit) {
    return await(limit, nanos -> Time.await(monitor, holds, nanos));
  }

  /** Sleeps. */
  public static void sleep(Duration duration) {
    boolean _ =
        await(
            duration,
            nanos -> {
              Time.sleep(Duration.ofNanos(nanos));
              return true;
            });
  }

  private static boolean await(Duration limit, Wait wait) {
    long end = Time.nanos() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.await(Math.max(0, end - Time.nanos()));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
