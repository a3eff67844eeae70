// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a device: serves the queue pairs that have work in turn, one request each. Without
 * work it spins for a moment, for as long as spinning has paid lately, and then parks.
 *
 * <p>A defect in serving a queue pair fails that queue pair. Any other one fails the device, whose
 * thread goes on, so that whoever waits for it hears of it and everything can be closed.
 */
class DeviceThread implements Runnable {

  /** What a queue pair needs next. */
  enum Turn {
    /** It has more to do: another turn after the others. */
    AGAIN,
    /** It has nothing to do until it is scheduled. */
    IDLE,
    /** It waits for a point in time. */
    LATER
  }

  private static final Logger LOG = LoggerFactory.getLogger(DeviceThread.class);

  /** How long to look for work before parking, when work has come soon lately. */
  private static final long SPIN_NANOS = 20_000;

  /** Work that came within this time of the last work would have been met by spinning. */
  private static final long WORTH_SPINNING_NANOS = 60_000;

  /** After a defect of the thread itself, which may come again at once. */
  private static final long DEFECT_PAUSE_NANOS = 1_000_000;

  /** Looks without giving up the processor; it is given to others between later ones. */
  private static final int BUSY_LOOKS = 50;

  private static final boolean CAN_SPIN = Runtime.getRuntime().availableProcessors() > 1;

  private static final VarHandle READY;
  private static final VarHandle SLEEPING;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      READY = lookup.findVarHandle(DeviceThread.class, "ready", SoftQueuePair.class);
      SLEEPING = lookup.findVarHandle(DeviceThread.class, "sleeping", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Thread thread;
  private final boolean canSpin;

  /** Hears of a defect that is of no queue pair; set before the thread starts. */
  private Consumer<Throwable> onDefect = defect -> {};

  /** Queue pairs that were scheduled, newest first, linked through them. */
  private volatile @Nullable SoftQueuePair ready;

  private volatile boolean sleeping;
  private volatile boolean stopped;

  /** Set when queue pairs that wait for a point in time have to be looked at before. */
  private volatile boolean attention;

  // The rest belongs to the thread.
  private @Nullable SoftQueuePair firstTurn;
  private @Nullable SoftQueuePair lastTurn;
  private @Nullable SoftQueuePair later;
  private long spinNanos;
  private boolean defective;

  DeviceThread(String name) {
    this(name, CAN_SPIN);
  }

  DeviceThread(String name, boolean canSpin) {
    this.canSpin = canSpin;
    thread = Thread.ofPlatform().daemon().name(name).unstarted(this);
  }

  final Thread thread() {
    return thread;
  }

  /**
   * Starts the thread.
   *
   * @param onDefect hears, on the thread and once, of a defect that is of no queue pair
   */
  final void start(Consumer<Throwable> onDefect) {
    this.onDefect = onDefect;
    thread.start();
  }

  /** Has the queue pair served soon. Cheap when it already is to be served. */
  final void schedule(SoftQueuePair queuePair) {
    if (queuePair.markScheduled()) {
      SoftQueuePair head;
      do {
        head = ready;
        queuePair.nextReady = head;
      } while (!READY.compareAndSet(this, head, queuePair));
      wake();
    }
  }

  /** Has the queue pair served now, even when it waits for a point in time. */
  final void attend(SoftQueuePair queuePair) {
    schedule(queuePair);
    attention = true;
    wake();
  }

  /** Has the thread look for news, should it be asleep. */
  final void wake() {
    if (sleeping && SLEEPING.compareAndSet(this, true, false)) {
      rouse();
    }
  }

  /** Ends one {@link #sleep}, the next one when the thread does not sleep yet. */
  void rouse() {
    LockSupport.unpark(thread);
  }

  /**
   * Sleeps until it is roused.
   *
   * @param nanos how long at most, {@link Long#MAX_VALUE} for ever
   */
  void sleep(long nanos) {
    if (nanos == Long.MAX_VALUE) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, nanos);
    }
  }

  /** Looks after what comes from elsewhere; called between two turns. */
  void look() {}

  /** Whether {@link #look} has something to do that no sleep would be ended for. */
  boolean hasErrands() {
    return false;
  }

  /** The last that the thread does. */
  void end() {}

  /**
   * Ends the thread, which has nothing left to serve.
   *
   * @return false when it has not ended within the limit
   */
  final boolean stop(Duration limit) {
    stopped = true;
    wake();
    boolean interrupted = false;
    long end = System.nanoTime() + limit.toNanos();
    while (thread.isAlive() && System.nanoTime() - end < 0) {
      try {
        thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }

  @Override
  public final void run() {
    while (!stopped) {
      try {
        turn();
      } catch (RuntimeException | Error e) {
        failed(e);
        LockSupport.parkNanos(DEFECT_PAUSE_NANOS);
      }
    }
    try {
      end();
    } catch (RuntimeException | Error e) {
      LOG.error("the device's thread ended with a defect", e);
    }
  }

  /** Serves one queue pair, or sleeps when there is none to serve. */
  private void turn() {
    if (ready != null) {
      takeReady();
    }
    if (later != null) {
      takeDue();
    }
    SoftQueuePair queuePair = firstTurn;
    if (queuePair == null) {
      idle();
      return;
    }
    firstTurn = queuePair.nextTurn;
    queuePair.nextTurn = null;
    if (firstTurn == null) {
      lastTurn = null;
    }
    serve(queuePair);
    look();
  }

  /** The device cannot do its work any more; for the thread itself. */
  final void failed(Throwable defect) {
    if (!defective) {
      defective = true;
      LOG.error("the device failed", defect);
      onDefect.accept(defect);
    }
  }

  private void serve(SoftQueuePair queuePair) {
    switch (serveSafely(queuePair)) {
      case AGAIN -> append(queuePair);
      case LATER -> {
        queuePair.nextTurn = later;
        later = queuePair;
      }
      case IDLE -> {
        if (queuePair.unmarkScheduled()) {
          append(queuePair);
        }
      }
    }
  }

  /** A defect fails one queue pair, not the device. */
  private static Turn serveSafely(SoftQueuePair queuePair) {
    try {
      return queuePair.serve();
    } catch (RuntimeException | Error e) {
      LOG.error("queue pair {} failed", queuePair.number(), e);
      return queuePair.defective();
    }
  }

  private void append(SoftQueuePair queuePair) {
    if (lastTurn == null) {
      firstTurn = queuePair;
    } else {
      lastTurn.nextTurn = queuePair;
    }
    lastTurn = queuePair;
  }

  private void takeReady() {
    SoftQueuePair newest = (SoftQueuePair) READY.getAndSet(this, null);
    SoftQueuePair oldest = null;
    while (newest != null) {
      SoftQueuePair next = newest.nextReady;
      newest.nextReady = oldest;
      oldest = newest;
      newest = next;
    }
    while (oldest != null) {
      SoftQueuePair next = oldest.nextReady;
      oldest.nextReady = null;
      append(oldest);
      oldest = next;
    }
  }

  /** Gives a turn to those whose time has come; to all when there is reason to look at them. */
  private void takeDue() {
    boolean all = attention;
    if (all) {
      attention = false;
    }
    long now = System.nanoTime();
    SoftQueuePair waiting = later;
    later = null;
    while (waiting != null) {
      SoftQueuePair next = waiting.nextTurn;
      waiting.nextTurn = null;
      if (all || waiting.dueAt() - now <= 0) {
        append(waiting);
      } else {
        waiting.nextTurn = later;
        later = waiting;
      }
      waiting = next;
    }
  }

  private void idle() {
    long now = System.nanoTime();
    long wait = nanosUntilDue(now);
    if (wait <= 0) {
      return;
    }
    if (spinNanos > 0) {
      long end = now + Math.min(spinNanos, wait);
      int looks = 0;
      do {
        if (hasNews()) {
          return;
        }
        if (++looks < BUSY_LOOKS) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
      } while (System.nanoTime() - end < 0);
    }
    sleeping = true;
    if (!hasNews()) {
      sleep(wait);
    }
    sleeping = false;
    look();
    if (canSpin) {
      spinNanos = System.nanoTime() - now < WORTH_SPINNING_NANOS ? SPIN_NANOS : 0;
    }
  }

  private boolean hasNews() {
    return ready != null || stopped || (attention && later != null) || hasErrands();
  }

  private long nanosUntilDue(long now) {
    long wait = Long.MAX_VALUE;
    for (SoftQueuePair waiting = later; waiting != null; waiting = waiting.nextTurn) {
      wait = Math.min(wait, waiting.dueAt() - now);
    }
    return wait;
  }
}
