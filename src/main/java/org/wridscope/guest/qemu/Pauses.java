// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.qmp.QemuMonitor;

/**
 * Lets a guest stand still for moments of its migration, and slows it down. A guest that somebody
 * else has paused stays paused. What this process stops, it continues, or its guard does.
 */
final class Pauses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Pauses.class);

  /** A guest that is slowed down runs and stands still once in this time. */
  private static final long PERIOD_MILLIS = 100;

  private final QemuMonitor monitor;
  private final SourceGuard guard;
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable Thread throttle;

  /** Whether the guest may stand still because of this process. Guarded by this. */
  private boolean stopped;

  Pauses(QemuMonitor monitor, SourceGuard guard) {
    this.monitor = monitor;
    this.guard = guard;
  }

  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  /**
   * Does some work while the guest stands still.
   *
   * @return nanoseconds for which it stood still because of that
   */
  synchronized long during(Work work) throws IOException {
    long begin = System.nanoTime();
    // After the switch-over has begun, it is not for this to continue the guest.
    boolean own = !stopped;
    try {
      if (own && Ask.query(monitor::status).running()) {
        stopping();
        Ask.command(monitor::stop);
      }
      work.run();
    } finally {
      if (own && stopped) {
        Ask.regardless(monitor::cont);
        resumed();
      }
    }
    return System.nanoTime() - begin;
  }

  /** To be called before something stops the guest, which runs; even if it fails, it may stop. */
  synchronized void stopping() throws IOException {
    guard.stopping();
    stopped = true;
  }

  /** To be called when the guest runs again, or was not stopped. */
  synchronized void resumed() throws IOException {
    stopped = false;
    guard.resumed();
  }

  /** Whether the guest may stand still because of this process, which then has to continue it. */
  synchronized boolean areOn() {
    return stopped;
  }

  /** Slows the guest down until this is closed. */
  void begin(Throttle slow) {
    if (!slow.isOff()) {
      throttle =
          Thread.ofPlatform().daemon().name("guest throttle").start(() -> run(slow.percent()));
    }
  }

  private void run(int percent) {
    long still = PERIOD_MILLIS * percent / 100;
    try {
      while (!await(PERIOD_MILLIS - still)) {
        var _ = during(() -> await(still));
      }
    } catch (IOException e) {
      LOG.warn("the guest is no longer slowed down: {}", e.getMessage());
    }
  }

  /** Waits for the end of the slowing down; returns whether it has come. */
  private boolean await(long millis) throws IOException {
    try {
      return closing.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw Deadline.interrupted(e);
    }
  }

  /**
   * Ends the slowing down; the guest runs after that, if this had stopped it. A command to QEMU
   * that is under way is waited for. Idempotent.
   */
  @Override
  public void close() {
    closing.countDown();
    Thread running = throttle;
    if (running != null) {
      throttle = null;
      boolean interrupted = false;
      while (running.isAlive()) {
        try {
          running.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
