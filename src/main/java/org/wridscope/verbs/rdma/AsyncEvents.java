// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * The asynchronous events of an opened device, between the thread that reads them and those who
 * handle them. The kernel has its acknowledgement at once; whoever handles an event gives his here,
 * and the object that it names is not destroyed before.
 */
final class AsyncEvents {
  private final Deque<Event> waiting = new ArrayDeque<>();

  /** Events taken but not acknowledged, by the object they name. */
  private final Map<Object, Integer> unacknowledged = new HashMap<>();

  private boolean closed;

  /**
   * Adds an event.
   *
   * @param element the object that it names, if any
   * @param queuePairNumber 0 when it is not about a queue pair
   */
  synchronized void add(AsyncEventType type, @Nullable Object element, int queuePairNumber) {
    waiting.add(new Event(type, element, queuePairNumber));
    notifyAll();
  }

  synchronized @Nullable AsyncEvent next(Duration duration)
      throws VerbsException, InterruptedException {
    Timeout timeout = new Timeout(duration);
    while (waiting.isEmpty() && !closed && timeout.nanos() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, timeout.nanos());
    }
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the device was closed");
    }
    Event event = waiting.poll();
    if (event != null && event.element != null) {
      unacknowledged.merge(event.element, 1, Integer::sum);
    }
    return event;
  }

  synchronized boolean isUnacknowledged(Object element) {
    return unacknowledged.containsKey(element);
  }

  /** Waits until no event that names the element is unacknowledged; false when time ran out. */
  synchronized boolean awaitAcknowledged(Object element, Duration duration) {
    Timeout timeout = new Timeout(duration);
    boolean interrupted = false;
    while (unacknowledged.containsKey(element) && timeout.nanos() > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, timeout.nanos());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !unacknowledged.containsKey(element);
  }

  /** Drops the events of an element that was destroyed. */
  synchronized void forget(Object element) {
    waiting.removeIf(event -> element.equals(event.element));
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  private final class Event implements AsyncEvent {
    private final AsyncEventType type;
    private final @Nullable Object element;
    private final int queuePairNumber;
    private boolean acknowledged;

    Event(AsyncEventType type, @Nullable Object element, int queuePairNumber) {
      this.type = type;
      this.element = element;
      this.queuePairNumber = queuePairNumber;
    }

    @Override
    public AsyncEventType type() {
      return type;
    }

    @Override
    public int queuePairNumber() {
      return queuePairNumber;
    }

    @Override
    public void acknowledge() {
      synchronized (AsyncEvents.this) {
        if (!acknowledged && element != null) {
          unacknowledged.computeIfPresent(element, (key, count) -> count == 1 ? null : count - 1);
          AsyncEvents.this.notifyAll();
        }
        acknowledged = true;
      }
    }

    @Override
    public String toString() {
      return queuePairNumber == 0 ? type.toString() : type + " of queue pair " + queuePairNumber;
    }
  }
}
