// SPDX-License-Identifier: Apache-2.0
package org.wridscope.time;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The clock, the threads and the waits of whoever may run under a {@link Scheduler}: sessions,
 * software devices, guests. On a thread of a schedule they are the schedule's; on any other thread
 * each method does what its namesake in the JDK does. So the same classes run in both.
 *
 * <p>Under a schedule one thread runs at a time, and goes on until it waits or hands over. A thread
 * holds no lock while it does, except one that others take with {@link #lock}.
 */
public final class Time {
  private Time() {}

  /** Nanoseconds of the clock, as {@link System#nanoTime}. */
  public static long nanos() {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? System.nanoTime() : scheduler.nanos();
  }

  /** The clock of the calling thread, which any thread may read. */
  public static LongSupplier clock() {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? System::nanoTime : scheduler::nanos;
  }

  /** The time of day; under a schedule it begins with 1970. */
  public static Instant wallClock() {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? Instant.now() : Instant.EPOCH.plusNanos(scheduler.nanos());
  }

  /**
   * How the order of events differed from one in which everything gets its turn, in sentences;
   * empty if it did not, or there is no schedule.
   */
  public static String schedule() {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? "" : scheduler.told();
  }

  /** Whether others run while this thread does, so that it may pay to look again at once. */
  public static boolean isParallel() {
    return Scheduler.current() == null;
  }

  /**
   * A random number; under a schedule it follows from the seed.
   *
   * @param machine the source of those on any other thread
   */
  public static long random(RandomGenerator machine) {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? machine.nextLong() : scheduler.random();
  }

  /**
   * The address of memory that was mapped, as work requests and peers name it. Under a schedule it
   * does not depend on where the kernel has mapped it, as with an IOMMU.
   */
  public static long address(MemorySegment memory) {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? memory.address() : scheduler.addresses().of(memory);
  }

  /** Memory was mapped. */
  public static void mapped(MemorySegment memory) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      scheduler.addresses().add(memory);
    }
  }

  /** Memory is about to be unmapped. */
  public static void unmapped(MemorySegment memory) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      scheduler.addresses().remove(memory);
    }
  }

  /** A daemon thread that was not started. It belongs to the schedule of the calling thread. */
  public static Thread unstarted(String name, Runnable work) {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null
        ? Thread.ofPlatform().daemon().name(name).unstarted(work)
        : scheduler.unstarted(name, work);
  }

  /** Starts a thread of {@link #unstarted}. */
  public static void start(Thread thread) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      thread.start();
    } else {
      scheduler.start(thread);
    }
  }

  /** Starts a daemon thread. */
  public static Thread start(String name, Runnable work) {
    Thread thread = unstarted(name, work);
    start(thread);
    return thread;
  }

  /**
   * Starts a daemon thread that only looks on. Under a schedule nothing that happens depends on
   * whether there is one: it goes on at once when what it waits for has come, and takes no time. It
   * must wait between its looks, and not only let others run.
   */
  public static Thread startObserver(String name, Runnable work) {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? start(name, work) : scheduler.startObserver(name, work);
  }

  /** What this thread does now concerns others than those that it shares its device with. */
  public static void affectsAll() {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      scheduler.affectsAll();
    }
  }

  /** Lets others go on. */
  public static void letOthersRun() {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      Thread.yield();
    } else {
      scheduler.handOver();
    }
  }

  /** Sleeps for so long. */
  public static void sleep(Duration duration) throws InterruptedException {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      Thread.sleep(duration);
    } else {
      boolean _ = scheduler.await(() -> false, duration.toNanos());
    }
  }

  /**
   * Waits until this thread is {@linkplain #unpark unparked} or the time is over; may also return
   * without a reason.
   *
   * @param nanos {@link Long#MAX_VALUE} for no limit
   */
  public static void park(Object blocker, long nanos) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      scheduler.park(nanos);
    } else if (nanos == Long.MAX_VALUE) {
      LockSupport.park(blocker);
    } else {
      LockSupport.parkNanos(blocker, nanos);
    }
  }

  /** Ends the present or the next {@link #park} of a thread. */
  public static void unpark(@Nullable Thread thread) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      LockSupport.unpark(thread);
    } else {
      scheduler.unpark(thread);
    }
  }

  /** Interrupts a thread: its present or next wait ends with an exception. */
  public static void interrupt(Thread thread) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      thread.interrupt();
    } else {
      scheduler.interrupt(thread);
    }
  }

  /**
   * From now on nothing happens in the schedule that does not happen by itself: what it was for is
   * done, and the limits of waits that clean up are not to expire because time was let pass.
   */
  public static void nothingRare() {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      scheduler.nothingRare();
    }
  }

  /** Notes an error of this program, so that whoever judges a schedule knows of it. */
  public static void note(Throwable defect) {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      scheduler.note(defect);
    }
  }

  /** The errors of this program that a schedule has met since the last call; else none. */
  public static List<Throwable> takeDefects() {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null ? List.of() : scheduler.takeDefects();
  }

  /** Takes a lock that its holder may keep while it waits. */
  public static void lock(ReentrantLock lock) {
    Scheduler scheduler = Scheduler.current();
    // The condition is asked on other threads, too.
    if (scheduler != null && !lock.isHeldByCurrentThread()) {
      scheduler.awaitUninterruptibly(() -> !lock.isLocked(), Scheduler.NEVER);
    }
    lock.lock();
  }

  /**
   * Takes a lock that its holder may keep while it waits.
   *
   * @return false when the time ran out
   */
  public static boolean tryLock(ReentrantLock lock, long nanos) throws InterruptedException {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      return lock.tryLock(nanos, TimeUnit.NANOSECONDS);
    }
    return (lock.isHeldByCurrentThread() || scheduler.await(() -> !lock.isLocked(), nanos))
        && lock.tryLock();
  }

  /**
   * Waits until a condition holds that others change under a lock, which this thread holds once.
   *
   * @param changed signalled by whoever makes the condition hold
   * @return false when the time ran out
   */
  public static boolean await(
      ReentrantLock lock, Condition changed, BooleanSupplier holds, long nanos)
      throws InterruptedException {
    Scheduler scheduler = Scheduler.current();
    if (scheduler == null) {
      long left = nanos;
      while (!holds.getAsBoolean() && left > 0) {
        left = changed.awaitNanos(left);
      }
    } else if (!holds.getAsBoolean() && nanos > 0) {
      lock.unlock();
      try {
        boolean _ = scheduler.await(holds, nanos);
      } finally {
        lock.lock();
      }
    }
    return holds.getAsBoolean();
  }

  /**
   * Waits until a condition holds that others change while they hold a monitor, and notify then.
   *
   * @param monitor which this thread does not hold
   * @return false when the time ran out
   */
  public static boolean await(Object monitor, BooleanSupplier holds, long nanos)
      throws InterruptedException {
    Scheduler scheduler = Scheduler.current();
    if (scheduler != null) {
      return scheduler.await(holds, nanos);
    }
    synchronized (monitor) {
      long begin = System.nanoTime();
      long left = nanos;
      while (!holds.getAsBoolean() && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(monitor, left);
        left = nanos - (System.nanoTime() - begin);
      }
      return holds.getAsBoolean();
    }
  }

  /**
   * Waits for a latch.
   *
   * @return false when the time ran out
   */
  public static boolean await(CountDownLatch latch, long nanos) throws InterruptedException {
    Scheduler scheduler = Scheduler.current();
    return scheduler == null
        ? latch.await(nanos, TimeUnit.NANOSECONDS)
        : scheduler.await(() -> latch.getCount() == 0, nanos);
  }

  /**
   * Waits for the end of a thread that was started.
   *
   * @return false when the time ran out
   */
  public static boolean join(Thread thread, long nanos) throws InterruptedException {
    Scheduler scheduler = Scheduler.current();
    return (scheduler == null || !scheduler.owns(thread))
        ? thread.join(Duration.ofNanos(nanos))
        : scheduler.await(() -> scheduler.hasEnded(thread), nanos);
  }

  /** Waits for the end of a thread that was started; an interrupt is kept for later. */
  public static void join(Thread thread) {
    boolean interrupted = false;
    while (isAlive(thread)) {
      try {
        boolean _ = join(thread, Long.MAX_VALUE);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a thread was started and has not ended. */
  public static boolean isAlive(Thread thread) {
    Scheduler scheduler = Scheduler.current();
    return (scheduler == null || !scheduler.owns(thread))
        ? thread.isAlive()
        : !scheduler.hasEnded(thread);
  }
}
