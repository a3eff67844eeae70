// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** An asynchronous event of a device; see {@code ibv_get_async_event(3)}. */
public interface AsyncEvent {

  AsyncEventType type();

  /**
   * The number of the queue pair that the event names, or {@linkplain QueuePair#workQueueIds() the
   * id of one of its work queues}; 0 when it names none.
   */
  int queuePairNumber();

  /** Acknowledges the event; see {@code ibv_ack_async_event(3)}. A second call does nothing. */
  void acknowledge();
}
