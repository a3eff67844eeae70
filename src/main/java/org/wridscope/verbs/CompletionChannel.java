// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where completion events arrive; see {@code ibv_get_cq_event(3)}. Several queues may share one.
 */
public interface CompletionChannel extends AutoCloseable {

  /**
   * Waits for a completion queue that was {@linkplain CompletionQueue#requestNotification() asked
   * to notify} to get a completion. Each event is to be {@linkplain
   * CompletionQueue#acknowledgeEvents acknowledged}.
   *
   * @param timeout how long to wait, zero to only look
   * @return the queue, or null when nothing came in time
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
