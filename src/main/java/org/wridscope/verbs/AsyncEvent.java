// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** An asynchronous event of a device; see {@code ibv_get_async_event(3)}. */
public interface AsyncEvent {

  AsyncEventType type();

  /** The number of the queue pair that it is about, 0 when it is not about one. */
  int queuePairNumber();

  /** Acknowledges the event; a second time does nothing. See {@code ibv_ack_async_event(3)}. */
  void acknowledge();
}
