// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.time.Duration;

/**
 * A request of a peer to connect. Answer it once, with {@link #accept} or {@link #reject}. Before
 * accepting, give {@link #connection()} a queue pair and post its first receives.
 */
public interface ConnectionRequest {

  /**
   * The longest private data that {@link #reject} carries, in bytes; see {@code rdma_reject(3)}.
   */
  int MAX_REJECT_PRIVATE_DATA = 148;

  /** The private data of the request, followed by an unknown number of zeros. */
  byte[] privateData();

  /**
   * The connection that this request becomes when accepted. Closing it before that rejects the
   * request.
   */
  Connection connection();

  /**
   * Sends the acceptance, without waiting for the peer; see {@code rdma_accept(3)}. After it,
   * {@link #awaitConfirmation} tells whether the connection is established, and closing {@link
   * #connection()} gives up.
   *
   * @throws VerbsException as {@link #accept}
   */
  void beginAccept(ConnectionParameters parameters) throws VerbsException;

  /**
   * Waits for the peer's confirmation (ESTABLISHED) of {@link #beginAccept}.
   *
   * @param timeout how long to wait, zero to return at once
   * @return false when it has not come in time; it may still come
   * @throws VerbsException with {@link Errno#ETIMEDOUT} when the peer has given up
   */
  boolean awaitConfirmation(Duration timeout) throws VerbsException, InterruptedException;

  /**
   * Accepts, and waits for the confirmation; the connection has failed when that does not come.
   *
   * @param timeout how long to wait for the peer's confirmation (ESTABLISHED)
   * @throws VerbsException with {@link Errno#EINVAL} when the connection has no queue pair yet
   *     (create one and call again) or the request was already answered, {@link Errno#ETIMEDOUT}
   *     when the peer has given up
   */
  void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException;

  /**
   * Rejects, and closes the connection; see {@code rdma_reject(3)}.
   *
   * @param privateData at most {@value #MAX_REJECT_PRIVATE_DATA} bytes
   */
  void reject(byte[] privateData) throws VerbsException;
}
