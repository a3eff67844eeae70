// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetSocketAddress;

/** What a contract needs of an implementation of the verbs. */
public interface VerbsUnderTest {

  /** Opens a device; those that one instance opens reach each other. The contract closes it. */
  RdmaDevice open(String name) throws VerbsException;

  /** An address to listen on, with port 0. */
  InetSocketAddress address();

  /**
   * Whether error completions carry exactly the status that the InfiniBand specification names;
   * soft-RoCE, for one, has some of its own.
   */
  boolean hasExactStatuses();

  /**
   * Whether a request beyond a listener's backlog is rejected at once; the kernel leaves it without
   * an answer, so that the client's connection manager repeats it for a while.
   */
  default boolean rejectsBeyondBacklog() {
    return true;
  }
}
