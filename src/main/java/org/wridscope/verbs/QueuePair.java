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
   * @throws VerbsException with {@link Errno#ENOMEM} when the send queue is full, {@link
   *     Errno#EINVAL} when the queue pair was not connected yet or the request is longer than
   *     {@link DeviceCapabilities#maxMessageSize()}. In the {@link QueuePairState#ERROR} state the
   *     request is accepted and flushed
   */
  void postSend(SendRequest request) throws VerbsException;

  /**
   * Posts to the receive queue; see {@code ibv_post_recv(3)}. Allowed as soon as the queue pair
   * exists, and wise before connecting: a message that finds no receive is a receiver-not-ready.
   *
   * @throws VerbsException with {@link Errno#ENOMEM} when the receive queue is full
   */
  void postReceive(ReceiveRequest request) throws VerbsException;

  /**
   * Destroys the queue pair. Work requests that are still outstanding complete no more; the device
   * touches none of their memory once this returns. Waits until asynchronous events that name it
   * are acknowledged.
   */
  @Override
  void close() throws VerbsException;
}
