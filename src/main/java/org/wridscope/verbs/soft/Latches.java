// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not end, for what must not be left half done. */
final class Latches {
  private Latches() {}

  /**
   * Waits for a latch; an interrupt is kept for later.
   *
   * @return false when the limit passed
   */
  static boolean await(CountDownLatch latch, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return latch.await(end - System.nanoTime(), TimeUnit.NANOSECONDS);
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
