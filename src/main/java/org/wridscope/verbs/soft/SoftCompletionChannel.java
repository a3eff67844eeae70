// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.wridscope.time.Time;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.common.Checks;
import org.wridscope.verbs.common.Timeout;

/** A completion channel; its events wait in a list that is linked through the queues. */
final class SoftCompletionChannel implements CompletionChannel {
  private final SoftDevice device;
  private @Nullable SoftCompletionQueue first;
  private @Nullable SoftCompletionQueue last;
  private int queues;
  private boolean closed;

  SoftCompletionChannel(SoftDevice device) {
    this.device = device;
  }

  SoftDevice device() {
    return device;
  }

  synchronized void attach() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, "the completion channel was destroyed");
    }
    queues++;
  }

  /** Adds an event of a queue whose notification was requested. Called by a device thread. */
  synchronized void deliver(SoftCompletionQueue queue) {
    if (queue.eventsPending++ == 0) {
      append(queue);
    }
    notify();
  }

  private void append(SoftCompletionQueue queue) {
    if (last == null) {
      first = queue;
    } else {
      last.nextInChannel = queue;
    }
    last = queue;
  }

  private @Nullable SoftCompletionQueue removeFirst() {
    SoftCompletionQueue queue = first;
    if (queue != null) {
      first = queue.nextInChannel;
      queue.nextInChannel = null;
      if (first == null) {
        last = null;
      }
    }
    return queue;
  }

  @Override
  public @Nullable CompletionQueue getEvent(Duration timeout)
      throws VerbsException, InterruptedException {
    var limit = new Timeout(timeout);
    CompletionQueue queue = take();
    while (queue == null && limit.nanos() > 0) {
      boolean _ = Time.await(this, () -> first != null || closed, limit.nanos());
      queue = take();
    }
    return queue;
  }

  private synchronized @Nullable CompletionQueue take() throws VerbsException {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, "the completion channel was destroyed");
    }
    SoftCompletionQueue queue = removeFirst();
    if (queue != null) {
      queue.eventsUnacknowledged++;
      if (--queue.eventsPending > 0) {
        append(queue);
      }
    }
    return queue;
  }

  synchronized void acknowledge(SoftCompletionQueue queue, int count) {
    Checks.requireTaken(count, queue.eventsUnacknowledged);
    queue.eventsUnacknowledged -= count;
  }

  /** Removes a queue that is being destroyed; its events that nobody took are dropped. */
  synchronized void detach(SoftCompletionQueue queue) throws VerbsException {
    Checks.requireAcknowledged(queue.eventsUnacknowledged);
    if (queue.eventsPending > 0) {
      queue.eventsPending = 0;
      SoftCompletionQueue end = last;
      SoftCompletionQueue next;
      do {
        next = removeFirst();
        if (next != null && next != queue) {
          append(next);
        }
      } while (next != null && next != end);
    }
    queues--;
  }

  @Override
  public synchronized void close() throws VerbsException {
    if (closed) {
      return;
    }
    Checks.requireNoQueues(queues);
    closed = true;
    notifyAll();
    device.remove(SoftResource.COMPLETION_CHANNEL);
  }
}
