// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetSocketAddress;

/** An implementation of the verbs, for the contracts. */
public interface VerbsUnderTest {

  /** Opens a device; devices of one instance reach each other. The contract closes it. */
  RdmaDevice open(String name) throws VerbsException;

  /** An address to listen on, with port 0. */
  InetSocketAddress address();

  /**
   * Whether error completions have exactly the status of the InfiniBand specification; soft-RoCE,
   * for example, deviates.
   */
  boolean hasExactStatuses();

  /**
   * Whether a request beyond a listener's backlog is rejected at once; the kernel does not answer
   * it, so the client's connection manager repeats it for a while.
   */
  default boolean rejectsBeyondBacklog() {
    return true;
  }
}
