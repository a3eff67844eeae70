// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.wridscope.verbs.common.Uninterrupted;

/**
 * Lets the reader of asynchronous events wait until a queue pair that is being created can be
 * found. Its wait is limited: a queue pair whose creation fails is destroyed, and {@code
 * ibv_destroy_qp(3)} waits until the reader has acknowledged the events of the queue pair.
 */
final class CreationGate {
  private final ReentrantLock creating = new ReentrantLock();

  /** Creates something; one at a time. */
  <T> T pass(NativeDevice.Maker<T> maker) throws IOException {
    creating.lock();
    try {
      return maker.make();
    } finally {
      creating.unlock();
    }
  }

  /**
   * Waits until nothing is being created.
   *
   * @return false when the time ran out
   */
  boolean awaitNone(Duration limit) {
    boolean none = Uninterrupted.lock(creating, limit);
    if (none) {
      creating.unlock();
    }
    return none;
  }
}
