// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * The asynchronous events of a device. As in the kernel, an event counts as unacknowledged once it
 * was taken; one that nobody took goes with the object that it names.
 */
final class AsyncEvents {
  private final Deque<Event> waiting = new ArrayDeque<>();

  /** Events taken but not acknowledged, by the object they name. */
  private final Map<Object, Integer> unacknowledged = new HashMap<>();

  private boolean closed;

  /**
   * Raises an event.
   *
   * @param queuePair that it names, if any
   * @param queue the completion queue that it names, if any
   */
  synchronized void raise(
      AsyncEventType type, @Nullable SoftQueuePair queuePair, @Nullable SoftCompletionQueue queue) {
    int number = queuePair == null ? 0 : queuePair.number();
    waiting.add(new Event(type, number, queuePair != null ? queuePair : queue));
    // Not notify: those who wait for an acknowledgement wait here, too.
    notifyAll();
  }

  synchronized @Nullable AsyncEvent next(Duration timeout)
      throws VerbsException, InterruptedException {
    long left = Timeout.nanos(timeout);
    long deadline = System.nanoTime() + left;
    while (waiting.isEmpty() && left > 0 && !closed) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
      left = deadline - System.nanoTime();
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

  synchronized int unacknowledged(Object element) {
    return unacknowledged.getOrDefault(element, 0);
  }

  /** Waits until no event that names the element is unacknowledged; false when time ran out. */
  synchronized boolean awaitAcknowledged(Object element, Duration timeout) {
    long left = Timeout.nanos(timeout);
    long deadline = System.nanoTime() + left;
    boolean interrupted = false;
    while (unacknowledged.containsKey(element) && left > 0) {
      try {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return !unacknowledged.containsKey(element);
  }

  /** Drops the events of an element that is destroyed. */
  synchronized void forget(Object element) {
    waiting.removeIf(event -> element.equals(event.element));
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  private final class Event implements AsyncEvent {
    private final AsyncEventType type;
    private final int queuePairNumber;
    private final @Nullable Object element;
    private boolean acknowledged;

    Event(AsyncEventType type, int queuePairNumber, @Nullable Object element) {
      this.type = type;
      this.queuePairNumber = queuePairNumber;
      this.element = element;
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
