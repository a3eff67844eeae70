// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.concurrent.locks.ReentrantLock;
import org.wridscope.time.Time;

/**
 * A thread of a guest that does steps at a set rate. It holds a lock during a step, and releases it
 * between two steps as soon as it is to pause, so that a thread that gets the lock finds memory,
 * dirty log and everything else that a step changes consistent.
 */
abstract class GuestThread {
  /** Steps between two readings of the clock. */
  private static final int BURST = 64;

  /** Longer than a step takes, unless the thread has been preempted. */
  private static final int SPINS = 500;

  private static final long WAIT_NANOS = 10_000_000_000L;
  private static final long PAUSED = -1;

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean running;
  private volatile boolean ended;

  /** Only with the lock held. */
  private final Pacer pacer;

  /**
   * A thread that {@link #begin} starts.
   *
   * @param rate counted steps a second; more than 0
   */
  GuestThread(String name, double rate) {
    pacer = new Pacer(rate);
    thread = Time.unstarted(name, this::run);
  }

  /** Starts the thread, which then waits for {@link #resume}. */
  final void begin() {
    Time.start(thread);
  }

  /** Does a step, with the lock held. Returns whether the step counts. */
  abstract boolean step();

  /** Called after some steps, before the lock is released. */
  void stepsDone() {}

  private void run() {
    while (true) {
      long sleep = burst();
      // Read after the lock was released: waiting for it may have consumed the permit of end().
      if (ended) {
        return;
      }
      if (sleep == PAUSED) {
        Time.park(this, Long.MAX_VALUE);
      } else if (sleep > 0) {
        Time.park(this, sleep);
      }
    }
  }

  /** Does the steps that are due. Returns for how many nanoseconds none will be due. */
  private long burst() {
    Time.lock(lock);
    try {
      if (!running) {
        return PAUSED;
      }
      pacer.advanceTo(Time.nanos());
      for (int i = 0; i < BURST && pacer.isDue() && running; i++) {
        if (step()) {
          pacer.wrote();
        }
      }
      stepsDone();
      return pacer.sleepNanos();
    } finally {
      lock.unlock();
    }
  }

  /** Asks the thread to pause; {@link #settle} waits until it has. */
  final void pause() {
    running = false;
  }

  /** Waits until the current step, if any, is complete. */
  final void settle() {
    locked(() -> {});
  }

  /** Lets the thread continue; it must be paused. */
  final void resume() {
    locked(() -> pacer.skipTo(Time.nanos()));
    running = true;
    Time.unpark(thread);
  }

  /** Runs an action between two steps. */
  final void locked(Runnable action) {
    acquire();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  // Spins first, because the guest is paused for as long as this takes.
  private void acquire() {
    for (int i = 0; i < SPINS; i++) {
      if (lock.tryLock()) {
        return;
      }
      Thread.onSpinWait();
    }
    long start = Time.nanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (!Time.tryLock(lock, WAIT_NANOS - (Time.nanos() - start))) {
            throw new IllegalStateException(
                "waited 10 s for %s to finish a step".formatted(thread.getName()));
          }
          return;
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

  /** Asks the thread to end, after the current step. */
  final void end() {
    running = false;
    ended = true;
    Time.unpark(thread);
  }

  /** Waits until the thread has ended. */
  final void join() {
    long start = Time.nanos();
    boolean interrupted = false;
    while (Time.isAlive(thread)) {
      long left = WAIT_NANOS - (Time.nanos() - start);
      if (left <= 0) {
        throw new IllegalStateException("waited 10 s for %s to end".formatted(thread.getName()));
      }
      try {
        boolean _ = Time.join(thread, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
