// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A listening connection identifier; see {@code rdma_listen(3)}. */
public interface ConnectionListener extends AutoCloseable {

  /** Where it listens, with the port that was taken. */
  InetSocketAddress localAddress();

  /**
   * Takes the next connection request. Requests beyond the backlog are rejected unseen, or left
   * without an answer; those whose peer gave up in the meantime may come or not.
   *
   * @param timeout how long to wait, zero to only look
   * @return the request, or null when none came in time
   * @throws VerbsException when the listener was closed, or its device failed
   */
  @Nullable ConnectionRequest nextRequest(Duration timeout)
      throws VerbsException, InterruptedException;

  /** Stops listening. Requests that nobody took are rejected. */
  @Override
  void close() throws VerbsException;
}
