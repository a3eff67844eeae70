// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionParameters;
import org.wridscope.verbs.VerbsException;

/** The end of a connection that was asked for it; called through the request. */
interface ServerEnd extends Connection {

  void accept(ConnectionParameters parameters, Duration timeout)
      throws VerbsException, InterruptedException;

  /**
   * Rejects.
   *
   * @param privateData of the length that the transport carries
   */
  void reject(byte[] privateData) throws VerbsException;

  /** The request is gone before anybody took it, and its client hears nothing. The lock is held. */
  void abandon();
}
