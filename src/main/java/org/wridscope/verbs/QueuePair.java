// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** A reliable connected queue pair; see {@code rdma_create_qp(3)}. Posting allocates nothing. */
public interface QueuePair extends AutoCloseable {

  /** The queue pair's number, 24 bits. A device may give it to another one once this is closed. */
  int number();

  QueuePairState state();

  /** What the device granted. */
  QueuePairCapacity capacity();

  /**
   * Posts to the send queue; see {@code ibv_post_send(3)}. The request object may be used again as
   * soon as this returns, the memory it names only after its completion.
   *
   * <p>A request occupies its slot of the queue until its completion has been polled; an unsignaled
   * one, until a completion of a later request has been (IBTA 10.8.6). So a queue of unsignaled
   * requests only fills up for good. Some devices give slots back sooner.
   *
   * @throws VerbsException with {@link Errno#ENOMEM} when the send queue is full, {@link
   *     Errno#EINVAL} when the queue pair was not connected yet or the request is longer than
   *     {@link DeviceCapabilities#maxMessageSize()}. In the {@link QueuePairState#ERROR} state the
   *     request is accepted and flushed
   */
  void postSend(SendRequest request) throws VerbsException;

  /**
   * Posts to the receive queue; see {@code ibv_post_recv(3)}. Allowed as soon as the queue pair
   * exists, and wise before connecting: a message that finds no receive is a receiver-not-ready.
   * Its slot is free again when its completion has been polled.
   *
   * @throws VerbsException with {@link Errno#ENOMEM} when the receive queue is full
   */
  void postReceive(ReceiveRequest request) throws VerbsException;

  /**
   * Destroys the queue pair. Work requests that are still outstanding complete no more; the device
   * touches none of their memory once this returns. Completions that were there before may stay in
   * the completion queue or go. Waits until asynchronous events that were taken and name it are
   * acknowledged; those that nobody took are dropped.
   *
   * @throws VerbsException with {@link Errno#EBUSY} when such an event stays unacknowledged for
   *     longer than the device waits (the software device: 10 s); nothing was destroyed then
   */
  @Override
  void close() throws VerbsException;
}
