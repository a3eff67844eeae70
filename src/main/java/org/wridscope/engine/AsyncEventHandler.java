// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import org.wridscope.verbs.AsyncEventType;

/** Who hears of the asynchronous events of a queue pair, and of those of its whole device. */
@FunctionalInterface
interface AsyncEventHandler {

  /**
   * Something happened. Called by the thread that reads the device's events, which destroying the
   * queue pair waits for: it must not block.
   *
   * @param queuePairNumber the queue pair that it happened to, 0 when to none in particular
   */
  void happened(AsyncEventType type, int queuePairNumber);
}
