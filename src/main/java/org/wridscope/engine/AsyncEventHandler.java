// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.verbs.AsyncEventType;

/** Receives the asynchronous events of a queue pair and those of its device. */
@FunctionalInterface
interface AsyncEventHandler {

  /**
   * Handles an event. Called by the thread that reads the device's events; it must not block, since
   * destroying the queue pair waits for it.
   *
   * @param queuePairNumber of the queue pair, 0 for an event of the device
   */
  void happened(AsyncEventType type, int queuePairNumber);
}
