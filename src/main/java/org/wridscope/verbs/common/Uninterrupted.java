// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

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
    return await(limit, nanos -> latch.await(nanos, TimeUnit.NANOSECONDS));
  }

  /**
   * Waits for the end of a thread that was started.
   *
   * @return false when the time ran out
   */
  public static boolean join(Thread thread, Duration limit) {
    return await(limit, nanos -> thread.join(Duration.ofNanos(nanos)));
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

  /** Sleeps. */
  public static void sleep(Duration duration) {
    boolean _ =
        await(
            duration,
            nanos -> {
              TimeUnit.NANOSECONDS.sleep(nanos);
              return true;
            });
  }

  private static boolean await(Duration limit, Wait wait) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.await(Math.max(0, end - System.nanoTime()));
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
