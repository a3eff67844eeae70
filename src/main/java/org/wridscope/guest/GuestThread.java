// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A thread of a guest that does steps at a set rate. It holds a lock while it does one and gives it
 * up between two as soon as it shall stand still, so that who gets the lock finds memory, log and
 * whatever else a step changes in agreement.
 */
abstract class GuestThread {
  /** Steps done without a look at the clock. */
  private static final int BURST = 64;

  /** Longer than a step takes, unless the thread has lost its processor. */
  private static final int SPINS = 500;

  private static final long WAIT_NANOS = 10_000_000_000L;
  private static final long STANDING_STILL = -1;

  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean running;
  private volatile boolean ended;

  /** Only with the lock held. */
  private final Pacer pacer;

  /**
   * A thread that is to be {@linkplain #begin begun}.
   *
   * @param rate steps that count, in a second; more than 0
   */
  GuestThread(String name, double rate) {
    pacer = new Pacer(rate);
    thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
  }

  /** Starts the thread, which waits for {@link #resume}. */
  final void begin() {
    thread.start();
  }

  /** Does a step; the lock is held. Returns whether it counts. */
  abstract boolean step();

  /** Called after some steps, before the lock is given up. */
  void stepsDone() {}

  private void run() {
    while (true) {
      long sleep = burst();
      // Looked at after the lock, which may have used up the permit that came with it.
      if (ended) {
        return;
      }
      if (sleep == STANDING_STILL) {
        LockSupport.park(this);
      } else if (sleep > 0) {
        LockSupport.parkNanos(this, sleep);
      }
    }
  }

  /** Does what is due, and says for how many nanoseconds there is nothing more to do. */
  private long burst() {
    lock.lock();
    try {
      if (!running) {
        return STANDING_STILL;
      }
      pacer.advanceTo(System.nanoTime());
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

  /** Asks the thread to stand still; {@link #settle} says when it does. */
  final void pause() {
    running = false;
  }

  /** Returns when the step that the thread was inside of, if any, is complete. */
  final void settle() {
    locked(() -> {});
  }

  /** Lets the thread go on; it must stand still. */
  final void resume() {
    locked(() -> pacer.skipTo(System.nanoTime()));
    running = true;
    LockSupport.unpark(thread);
  }

  /** Does something between two steps. */
  final void locked(Runnable action) {
    acquire();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  // The guest stands still for as long as this takes: no sleep where a moment's patience will do.
  private void acquire() {
    for (int i = 0; i < SPINS; i++) {
      if (lock.tryLock()) {
        return;
      }
      Thread.onSpinWait();
    }
    long start = System.nanoTime();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (!lock.tryLock(WAIT_NANOS - (System.nanoTime() - start), TimeUnit.NANOSECONDS)) {
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

  /** Ends the thread, between two steps. */
  final void end() {
    running = false;
    ended = true;
    LockSupport.unpark(thread);
  }

  /** Waits for the thread's end. */
  final void join() {
    long start = System.nanoTime();
    boolean interrupted = false;
    while (thread.isAlive()) {
      long left = WAIT_NANOS - (System.nanoTime() - start);
      if (left <= 0) {
        throw new IllegalStateException("waited 10 s for %s to end".formatted(thread.getName()));
      }
      try {
        thread.join(Math.ceilDiv(left, 1_000_000));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
