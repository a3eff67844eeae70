// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.RamBlock;
import org.wridscope.memory.RamDigester;

/**
 * A thread that does the steps of one writer of a {@link Workload} at a set rate. It holds a lock
 * while it writes and gives it up between two writes as soon as it shall stand still, so that who
 * gets the lock finds memory, log and step in agreement.
 */
final class Writer {
  /** Writes done without a look at the clock. */
  private static final int BURST = 64;

  /** Longer than a write takes, unless the thread has lost its processor. */
  private static final int SPINS = 500;

  private static final long WAIT_NANOS = 10_000_000_000L;
  private static final long STANDING_STILL = -1;

  private final Workload workload;
  private final int block;
  private final MemorySegment ram;
  private final WriteLog log;
  private final int index;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean running;
  private volatile boolean ended;

  // All below only with the lock held.
  private final Pacer pacer;
  private long step;
  private @Nullable RamDigester digester;

  /**
   * Starts the thread, which waits for {@link #resume}.
   *
   * @param block index of the block that is written
   * @param index of the writer in the workload
   * @param step to go on with
   * @param rate in bytes of pages a second
   */
  Writer(
      Workload workload,
      int block,
      MemorySegment ram,
      WriteLog log,
      int index,
      long step,
      double rate) {
    this.workload = workload;
    this.block = block;
    this.ram = ram;
    this.log = log;
    this.index = index;
    this.step = step;
    pacer = new Pacer(rate / RamBlock.PAGE_SIZE);
    thread = Thread.ofPlatform().daemon().name("guest-writer-" + index).unstarted(this::run);
    thread.start();
  }

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

  /** Writes what is due, and says for how many nanoseconds there is nothing more to do. */
  private long burst() {
    lock.lock();
    try {
      if (!running) {
        return STANDING_STILL;
      }
      pacer.advanceTo(System.nanoTime());
      for (int i = 0; i < BURST && pacer.isDue() && running; i++) {
        if (write()) {
          pacer.wrote();
        }
      }
      return pacer.sleepNanos();
    } finally {
      lock.unlock();
    }
  }

  /** Does a step. Returns whether it wrote. */
  private boolean write() {
    long page = workload.pageOf(index, step);
    if (page >= 0) {
      if (digester != null) {
        digester.beforeWrite(block, page << RamBlock.PAGE_SHIFT, RamBlock.PAGE_SIZE);
      }
      workload.write(ram, page, step);
      log.mark(page);
    }
    step++;
    return page >= 0;
  }

  /** The writer's place in the workload. */
  int index() {
    return index;
  }

  /** Asks the thread to stand still; {@link #settle} says when it does. */
  void pause() {
    running = false;
  }

  /** Returns when the write that the thread was inside of, if any, is complete. */
  void settle() {
    locked(() -> {});
  }

  /** The thread must stand still. */
  void resume(@Nullable RamDigester digester) {
    locked(() -> {
      this.digester = digester;
      pacer.skipTo(System.nanoTime());
    });
    running = true;
    LockSupport.unpark(thread);
  }

  /** How many steps were done; the thread must stand still. */
  long step() {
    long[] result = new long[1];
    locked(() -> result[0] = step);
    return result[0];
  }

  private void locked(Runnable action) {
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
                "waited 10 s for %s to finish a write".formatted(thread.getName()));
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

  /** Ends the thread, between two writes. */
  void end() {
    running = false;
    ended = true;
    LockSupport.unpark(thread);
  }

  /** Waits for the thread's end. */
  void join() {
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
