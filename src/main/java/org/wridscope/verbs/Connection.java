// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A connection identifier and its queue pair; see {@code rdma_create_id(3)}. */
public interface Connection extends AutoCloseable {

  InetSocketAddress localAddress();

  InetSocketAddress remoteAddress();

  /**
   * Creates the connection's queue pair; see {@code rdma_create_qp(3)}. Once only.
   *
   * @param send where the send queue completes
   * @param receive where the receive queue completes; may be the same queue
   * @throws VerbsException with {@link Errno#EINVAL} when the device cannot grant the depths
   */
  QueuePair createQueuePair(
      ProtectionDomain domain,
      CompletionQueue send,
      CompletionQueue receive,
      QueuePairCapacity capacity)
      throws VerbsException;

  /**
   * Connects; see {@code rdma_connect(3)}. Once only: a connection that was not established can
   * only be closed, and the receives posted on it are flushed.
   *
   * @return the private data of the peer's accept, padded with zeros to an unknown length
   * @throws ConnectionRejectedException when nobody listens there or the peer refused
   * @throws VerbsException with {@link Errno#ETIMEDOUT} when there was no answer in time, {@link
   *     Errno#EINVAL} for private data that is too long, or without a queue pair
   */
  byte[] connect(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException;

  /**
   * The next event of an established connection.
   *
   * @param timeout how long to wait, zero to only look
   * @return the event, or null when none came in time
   */
  @Nullable ConnectionEvent nextEvent(Duration timeout) throws VerbsException, InterruptedException;

  /**
   * Disconnects; see {@code rdma_disconnect(3)}. Our queue pair goes to the error state and its
   * requests are flushed; the peer gets {@link ConnectionEvent.Type#DISCONNECTED}, but its queue
   * pair stays ready to send until it fails to or the peer disconnects too, upon which we get
   * {@code DISCONNECTED}. Harmless when not connected.
   */
  void disconnect() throws VerbsException;

  /** Disconnects if need be, destroys the queue pair and the identifier. */
  @Override
  void close() throws VerbsException;
}
