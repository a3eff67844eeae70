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
import org.wridscope.verbs.common.Uninterrupted;

/**
 * The thread of a device: serves the queue pairs that have work in turn, one request per turn.
 * Without work it spins for a moment if spinning has helped recently, and then parks. {@code
 * docs/software-device.md} has a state diagram.
 *
 * <p>A defect while a queue pair is served fails that queue pair. Any other defect fails the
 * device, but the thread goes on, so that waiting threads are notified and everything can be
 * closed.
 */
class DeviceThread implements DeviceProcessor, Runnable {

  /** What a queue pair needs after a turn. */
  enum Turn {
    /** Another turn after the other queue pairs: it has more work. */
    AGAIN,
    /** Nothing until it is scheduled again. */
    IDLE,
    /** A turn when the time of {@link SoftQueuePair#dueAt} has come. */
    LATER
  }

  private static final Logger LOG = LoggerFactory.getLogger(DeviceThread.class);

  /** How long to spin before parking, if spinning has helped recently. */
  private static final long SPIN_NANOS = 20_000;

  /** Spinning would have helped when new work arrived within this time. */
  private static final long WORTH_SPINNING_NANOS = 60_000;

  /** Pause after a defect of the thread itself, which may recur at once. */
  private static final long DEFECT_PAUSE_NANOS = 1_000_000;

  /** How often to check for work before yielding the processor between checks. */
  private static final int BUSY_CHECKS = 50;

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

  /** Called for a defect that no queue pair caused; set before the thread starts. */
  private Consumer<Throwable> onDefect = defect -> {};

  /** Queue pairs that were scheduled, newest first, linked by their {@code nextReady}. */
  private volatile @Nullable SoftQueuePair ready;

  private volatile boolean sleeping;
  private volatile boolean stopped;

  /** Set to serve the queue pairs that wait for a point in time before that time. */
  private volatile boolean serveWaiting;

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

  @Override
  public final Thread thread() {
    return thread;
  }

  @Override
  public final void start(Consumer<Throwable> onDefect) {
    this.onDefect = onDefect;
    thread.start();
  }

  /** {@inheritDoc} Cheap when it is scheduled already. */
  @Override
  public final void schedule(SoftQueuePair queuePair) {
    if (queuePair.markScheduled()) {
      SoftQueuePair head;
      do {
        head = ready;
        queuePair.nextReady = head;
      } while (!READY.compareAndSet(this, head, queuePair));
      wake();
    }
  }

  @Override
  public final void scheduleNow(SoftQueuePair queuePair) {
    schedule(queuePair);
    serveWaiting = true;
    wake();
  }

  /** Makes the thread check for work if it sleeps. */
  final void wake() {
    if (sleeping && SLEEPING.compareAndSet(this, true, false)) {
      interruptSleep();
    }
  }

  /** Ends the present {@link #sleep}, or the next one if the thread does not sleep yet. */
  void interruptSleep() {
    LockSupport.unpark(thread);
  }

  /**
   * Sleeps until {@link #interruptSleep} is called.
   *
   * @param nanos how long at most, {@link Long#MAX_VALUE} for no limit
   */
  void sleep(long nanos) {
    if (nanos == Long.MAX_VALUE) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, nanos);
    }
  }

  /** Does work that belongs to no queue pair; called between two turns. */
  void runTasks() {}

  /** Whether {@link #runTasks} has work that would not end a sleep. */
  boolean hasTasks() {
    return false;
  }

  /** Called last on the thread. */
  void shutDown() {}

  @Override
  public final boolean stop(Duration limit) {
    stopped = true;
    wake();
    return Uninterrupted.join(thread, limit);
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
      shutDown();
    } catch (RuntimeException | Error e) {
      LOG.error("the device's thread ended with a defect", e);
    }
  }

  /** Serves one queue pair, or sleeps when none has work. */
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
    runTasks();
  }

  /** Reports that the device cannot do its work any more. Called by the thread. */
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

  /** Serves the queue pair; a defect fails it, not the device. */
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

  /** Gives a turn to queue pairs whose time has come, or to all that wait if so requested. */
  private void takeDue() {
    boolean all = serveWaiting;
    if (all) {
      serveWaiting = false;
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
      int checks = 0;
      do {
        if (hasWork()) {
          return;
        }
        if (++checks < BUSY_CHECKS) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
      } while (System.nanoTime() - end < 0);
    }
    sleeping = true;
    if (!hasWork()) {
      sleep(wait);
    }
    sleeping = false;
    runTasks();
    if (canSpin) {
      spinNanos = System.nanoTime() - now < WORTH_SPINNING_NANOS ? SPIN_NANOS : 0;
    }
  }

  private boolean hasWork() {
    return ready != null || stopped || (serveWaiting && later != null) || hasTasks();
  }

  private long nanosUntilDue(long now) {
    long wait = Long.MAX_VALUE;
    for (SoftQueuePair waiting = later; waiting != null; waiting = waiting.nextTurn) {
      wait = Math.min(wait, waiting.dueAt() - now);
    }
    return wait;
  }
}
