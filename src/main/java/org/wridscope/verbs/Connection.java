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
   * The route to the peer, once it is known; see {@code rdma_resolve_route(3)}. A device without
   * global identifiers writes its addresses like those of RoCE v2.
   */
  default ConnectionRoute route() {
    return new ConnectionRoute(
        PortDescription.LinkLayer.UNSPECIFIED,
        ConnectionRoute.gidOf(localAddress()),
        ConnectionRoute.gidOf(remoteAddress()));
  }

  /**
   * Creates the connection's queue pair; see {@code rdma_create_qp(3)}. Once only.
   *
   * @param send gets the completions of the send queue
   * @param receive gets the completions of the receive queue; may be the same queue
   * @throws VerbsException with {@link Errno#EINVAL} when the device cannot grant the depths,
   *     {@link Errno#ETIMEDOUT} when the peer of an unanswered request has given up; some devices
   *     report that only when the request is accepted
   */
  QueuePair createQueuePair(
      ProtectionDomain domain,
      CompletionQueue send,
      CompletionQueue receive,
      QueuePairCapacity capacity)
      throws VerbsException;

  /**
   * Connects; see {@code rdma_connect(3)}. Once only: when it fails, the receives that were posted
   * are flushed, and the connection can only be closed.
   *
   * @return the private data of the peer's accept, followed by an unknown number of zeros
   * @throws ConnectionRejectedException when nobody listens there or the peer rejects the request
   * @throws VerbsException with {@link Errno#ETIMEDOUT} when no answer comes in time, {@link
   *     Errno#EINVAL} when the private data is too long or there is no queue pair
   */
  byte[] connect(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException;

  /**
   * The next event of an established connection.
   *
   * @param timeout how long to wait, zero to return at once
   * @return the event, or null when none arrived in time
   */
  @Nullable ConnectionEvent nextEvent(Duration timeout) throws VerbsException, InterruptedException;

  /**
   * Disconnects; see {@code rdma_disconnect(3)}. This end's queue pair enters the error state and
   * its requests are flushed. The peer gets {@link ConnectionEvent.Type#DISCONNECTED}; its queue
   * pair stays ready to send until a request fails or the peer disconnects too, which gives this
   * end {@code DISCONNECTED}. Does nothing when not connected.
   */
  void disconnect() throws VerbsException;

  /** Disconnects if necessary, and destroys the queue pair and the identifier. */
  @Override
  void close() throws VerbsException;
}
