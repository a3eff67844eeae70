// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.time.Duration;

/**
 * A peer that wants to connect. Exactly one of {@link #accept} and {@link #reject} is called;
 * before accepting, give {@link #connection()} a queue pair and post its first receives.
 */
public interface ConnectionRequest {

  /**
   * The longest private data that {@link #reject} carries, in bytes; see {@code rdma_reject(3)}.
   */
  int MAX_REJECT_PRIVATE_DATA = 148;

  /** What the peer sent along, padded with zeros by the transport to an unknown length. */
  byte[] privateData();

  /**
   * The connection that this request becomes when accepted. Closing it before rejects the request.
   */
  Connection connection();

  /**
   * Accepts; see {@code rdma_accept(3)}.
   *
   * @param timeout until the peer has seen it (ESTABLISHED)
   * @throws VerbsException with {@link Errno#EINVAL} when the connection has no queue pair yet
   *     (give it one and call again) or the request was answered before, {@link Errno#ETIMEDOUT}
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
