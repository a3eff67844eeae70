// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.util.List;

/** A reliable connected queue pair; see {@code rdma_create_qp(3)}. Posting allocates nothing. */
public interface QueuePair extends AutoCloseable {

  /** The queue pair's number, 24 bits. The device may reuse it once this is closed. */
  int number();

  /**
   * Further ids under which the device's asynchronous events may name this queue pair: those of its
   * work queues. Most devices have none; an RC queue pair of Microsoft's mana has up to five ids,
   * of which one is its number.
   */
  default List<Integer> workQueueIds() {
    return List.of();
  }

  QueuePairState state();

  /** The depths that the device granted. */
  QueuePairCapacity capacity();

  /**
   * Posts to the send queue; see {@code ibv_post_send(3)}. The request object can be reused as soon
   * as this returns, its memory only after the completion. In the state {@link
   * QueuePairState#ERROR} the request is accepted and flushed.
   *
   * <p>A request occupies its slot of the queue until its completion has been polled; an unsignaled
   * request, until the completion of a later request has been polled (IBTA 10.8.6). So a queue that
   * is filled with unsignaled requests only stays full. Some devices free slots sooner.
   *
   * @throws VerbsException with {@link Errno#ENOMEM} when the send queue is full, {@link
   *     Errno#EINVAL} when the queue pair is not connected yet or the request is longer than {@link
   *     DeviceCapabilities#maxMessageSize()}
   */
  void postSend(SendRequest request) throws VerbsException;

  /**
   * Posts to the receive queue; see {@code ibv_post_recv(3)}. Allowed as soon as the queue pair
   * exists, and best done before connecting: a message for which no receive is posted is answered
   * with receiver-not-ready. The request's slot is free again when its completion has been polled.
   *
   * @throws VerbsException with {@link Errno#ENOMEM} when the receive queue is full
   */
  void postReceive(ReceiveRequest request) throws VerbsException;

  /**
   * Destroys the queue pair. Outstanding work requests do not complete any more, and the device no
   * longer accesses their memory once this returns. Completions that are already in the completion
   * queue may stay there or vanish. Waits until asynchronous events that name the queue pair and
   * were taken are acknowledged; those that nobody took are dropped.
   *
   * @throws VerbsException with {@link Errno#EBUSY} when such an event stays unacknowledged for 10
   *     s; nothing was destroyed then
   */
  @Override
  void close() throws VerbsException;
}
