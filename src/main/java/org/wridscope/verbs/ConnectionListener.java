// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A listening connection identifier; see {@code rdma_listen(3)}. */
public interface ConnectionListener extends AutoCloseable {

  /** The address that it listens on, with the actual port. */
  InetSocketAddress localAddress();

  /**
   * Takes the next connection request. Requests beyond the backlog are rejected or get no answer. A
   * request whose peer has given up meanwhile may or may not be returned.
   *
   * @param timeout how long to wait, zero to return at once
   * @return the request, or null when none arrived in time
   * @throws VerbsException when the listener was closed, or its device failed
   */
  @Nullable ConnectionRequest nextRequest(Duration timeout)
      throws VerbsException, InterruptedException;

  /** Stops listening. Requests that nobody took are rejected. */
  @Override
  void close() throws VerbsException;
}
