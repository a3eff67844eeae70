// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Delivers completion events; see {@code ibv_get_cq_event(3)}. Several completion queues may share
 * a channel.
 */
public interface CompletionChannel extends AutoCloseable {

  /**
   * Waits until a completion queue whose {@linkplain CompletionQueue#requestNotification()
   * notification was requested} gets a completion. Each event must be {@linkplain
   * CompletionQueue#acknowledgeEvents acknowledged}.
   *
   * @param timeout how long to wait, zero to return at once
   * @return the queue, or null when no event arrived in time
   * @throws InterruptedException when the thread is interrupted
   */
  @Nullable CompletionQueue getEvent(Duration timeout) throws VerbsException, InterruptedException;

  /**
   * Destroys the channel.
   *
   * @throws VerbsException with {@link Errno#EBUSY} while a queue uses it
   */
  @Override
  void close() throws VerbsException;
}
