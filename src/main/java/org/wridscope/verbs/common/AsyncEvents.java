// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.VerbsException;

/**
 * The asynchronous events of a device, from when they are raised until they are acknowledged. As in
 * the kernel, an event that was taken is unacknowledged at first, and the object that it names is
 * not destroyed before the event is acknowledged. An event that nobody took is dropped with its
 * object.
 *
 * <p>An object is {@linkplain #add added} before events name it and {@linkplain #retire retired}
 * before it is destroyed. Events raised later are dropped, so that no event outlives the queue pair
 * number that it carries.
 */
public final class AsyncEvents {
  /** How long destroying a queue pair waits until the events that name it are acknowledged. */
  private static final int ACKNOWLEDGE_SECONDS = 10;

  /** An object that events may name. */
  private static final class Element {
    /** Events taken but not acknowledged. */
    private int unacknowledged;

    private boolean retiring;
  }

  private final Deque<Event> waiting = new ArrayDeque<>();
  private final Map<Object, Element> elements = new HashMap<>();
  private boolean closed;

  /** Adds an object that events may name from now on. */
  public synchronized void add(Object object) {
    elements.put(object, new Element());
  }

  /**
   * Raises an event.
   *
   * @param named the object that the event names, if any
   * @param queuePairNumber 0 when the event names no queue pair
   */
  public synchronized void raise(AsyncEventType type, @Nullable Object named, int queuePairNumber) {
    Element element = named == null ? null : elements.get(named);
    if (named != null && (element == null || element.retiring)) {
      return;
    }
    waiting.add(new Event(type, element, queuePairNumber));
    notifyAll();
  }

  public @Nullable AsyncEvent next(Duration duration) throws VerbsException, InterruptedException {
    var limit = new Timeout(duration);
    Event event = take();
    while (event == null && limit.nanos() > 0) {
      boolean _ = Time.await(this, () -> !waiting.isEmpty() || closed, limit.nanos());
      event = take();
    }
    return event;
  }

  private synchronized @Nullable Event take() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the device was closed");
    }
    Event event = waiting.poll();
    if (event != null && event.element != null) {
      event.element.unacknowledged++;
    }
    return event;
  }

  public synchronized boolean isUnacknowledged(Object object) {
    Element element = elements.get(object);
    return element != null && element.unacknowledged > 0;
  }

  /**
   * Stops delivering events for a queue pair that is to be destroyed, as {@link #retire} does.
   *
   * @throws VerbsException with {@link Errno#EBUSY} when one stays unacknowledged for {@value
   *     #ACKNOWLEDGE_SECONDS} s
   */
  public void retireQueuePair(QueuePair queuePair) throws VerbsException {
    if (!retire(queuePair, Duration.ofSeconds(ACKNOWLEDGE_SECONDS))) {
      throw new VerbsException(
          Errno.EBUSY,
          "an asynchronous event of queue pair %d is not acknowledged"
              .formatted(queuePair.number()));
    }
  }

  /**
   * Stops delivering events for an object: drops those that nobody took, and waits until those that
   * were taken are acknowledged. A second time does nothing.
   *
   * @return false when time ran out; events may name the object again then
   */
  public boolean retire(Object object, Duration duration) {
    Element element = beginToRetire(object);
    if (element == null) {
      return true;
    }
    boolean _ = Uninterrupted.await(this, () -> element.unacknowledged == 0, duration);
    return endRetiring(object, element);
  }

  private synchronized @Nullable Element beginToRetire(Object object) {
    Element element = elements.get(object);
    if (element != null) {
      element.retiring = true;
      waiting.removeIf(event -> element.equals(event.element));
    }
    return element;
  }

  private synchronized boolean endRetiring(Object object, Element element) {
    element.retiring = element.unacknowledged == 0;
    if (element.retiring) {
      elements.remove(object, element);
    }
    return element.retiring;
  }

  public synchronized void close() {
    closed = true;
    notifyAll();
  }

  private final class Event implements AsyncEvent {
    private final AsyncEventType type;
    private final @Nullable Element element;
    private final int queuePairNumber;
    private boolean acknowledged;

    Event(AsyncEventType type, @Nullable Element element, int queuePairNumber) {
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
