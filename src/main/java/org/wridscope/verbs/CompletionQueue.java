// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** A completion queue; see {@code ibv_create_cq(3)}. Polling allocates nothing. */
public interface CompletionQueue extends AutoCloseable {

  /** How many completions fit. One more causes {@link AsyncEventType#CQ_ERR}. */
  int entries();

  /**
   * Takes completions from the queue, oldest first; see {@code ibv_poll_cq(3)}.
   *
   * @param into filled from index 0; its elements are overwritten, not replaced
   * @return how many were taken, 0 when the queue is empty
   */
  int poll(WorkCompletion[] into) throws VerbsException;

  /**
   * Requests one event on the channel when the next completion is added; see {@code
   * ibv_req_notify_cq(3)}. A completion that is already in the queue causes no event, so poll once
   * more afterwards.
   */
  void requestNotification() throws VerbsException;

  /** Acknowledges events that were taken from the channel; see {@code ibv_ack_cq_events(3)}. */
  void acknowledgeEvents(int count);

  /**
   * Destroys the queue.
   *
   * @throws VerbsException with {@link Errno#EBUSY} while a queue pair uses it or one of its events
   *     is unacknowledged
   */
  @Override
  void close() throws VerbsException;
}
