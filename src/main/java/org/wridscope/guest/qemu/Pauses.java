// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.qmp.QemuMonitor;

/**
 * Lets a guest stand still for moments of its migration, and slows it down. A guest that somebody
 * else has paused stays paused.
 */
final class Pauses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Pauses.class);

  /** A guest that is slowed down runs and stands still once in this time. */
  private static final long PERIOD_MILLIS = 100;

  private final QemuMonitor monitor;
  private @Nullable Thread throttle;

  /** Whether the guest stands still because of this. Guarded by this. */
  private boolean stopped;

  Pauses(QemuMonitor monitor) {
    this.monitor = monitor;
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
    begin();
    try {
      work.run();
    } finally {
      end();
    }
    return System.nanoTime() - begin;
  }

  private void begin() throws IOException {
    if (!stopped && Ask.query(monitor::status).running()) {
      // Even if the answer is late, it may stop.
      stopped = true;
      Ask.command(monitor::stop);
    }
  }

  private void end() throws IOException {
    if (stopped) {
      Ask.regardless(monitor::cont);
      stopped = false;
    }
  }

  /** Whether the guest stands still because of this. */
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
      while (true) {
        slice(still);
        Thread.sleep(PERIOD_MILLIS - still);
      }
    } catch (InterruptedException e) {
      // It is to end.
    } catch (IOException e) {
      LOG.warn("the guest is no longer slowed down: {}", e.getMessage());
    }
  }

  private void slice(long millis) throws IOException, InterruptedException {
    var pause =
        new Work() {
          private @Nullable InterruptedException interrupt;

          @Override
          public void run() {
            try {
              Thread.sleep(millis);
            } catch (InterruptedException e) {
              interrupt = e;
            }
          }
        };
    var _ = during(pause);
    if (pause.interrupt != null) {
      throw pause.interrupt;
    }
  }

  /** Ends the slowing down; the guest runs after that, if this had stopped it. Idempotent. */
  @Override
  public void close() {
    Thread running = throttle;
    if (running != null) {
      throttle = null;
      running.interrupt();
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
