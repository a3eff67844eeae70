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
 *
 * <p>An object is {@linkplain #enter entered} before events name it and {@linkplain #retire
 * retired} before it is destroyed. What is raised later is dropped, so that no event outlives the
 * number that it carries.
 */
final class AsyncEvents {
  /** What events may name. */
  private static final class Element {
    /** Events taken but not acknowledged. */
    private int unacknowledged;

    private boolean retiring;
  }

  private final Deque<Event> waiting = new ArrayDeque<>();
  private final Map<Object, Element> elements = new HashMap<>();
  private boolean closed;

  /** From now on events may name this object. */
  synchronized void enter(Object object) {
    elements.put(object, new Element());
  }

  /**
   * Raises an event.
   *
   * @param queuePair that it names, if any
   * @param queue the completion queue that it names, if any
   */
  synchronized void raise(
      AsyncEventType type, @Nullable SoftQueuePair queuePair, @Nullable SoftCompletionQueue queue) {
    int number = queuePair == null ? 0 : queuePair.number();
    Object named = queuePair != null ? queuePair : queue;
    Element element = named == null ? null : elements.get(named);
    if (named != null && (element == null || element.retiring)) {
      return;
    }
    waiting.add(new Event(type, number, element));
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
      event.element.unacknowledged++;
    }
    return event;
  }

  synchronized boolean isUnacknowledged(Object object) {
    Element element = elements.get(object);
    return element != null && element.unacknowledged > 0;
  }

  /**
   * Has no further event name an object: drops those that nobody took, and waits until those that
   * were taken are acknowledged. A second time does nothing.
   *
   * @return false when time ran out, upon which events may name it again
   */
  synchronized boolean retire(Object object, Duration timeout) {
    Element element = elements.get(object);
    if (element == null) {
      return true;
    }
    element.retiring = true;
    waiting.removeIf(event -> element.equals(event.element));
    long left = Timeout.nanos(timeout);
    long deadline = System.nanoTime() + left;
    boolean interrupted = false;
    while (element.unacknowledged > 0 && left > 0) {
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
    element.retiring = element.unacknowledged == 0;
    if (element.retiring) {
      elements.remove(object, element);
    }
    return element.retiring;
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }

  private final class Event implements AsyncEvent {
    private final AsyncEventType type;
    private final int queuePairNumber;
    private final @Nullable Element element;
    private boolean acknowledged;

    Event(AsyncEventType type, int queuePairNumber, @Nullable Element element) {
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
          element.unacknowledged--;
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
