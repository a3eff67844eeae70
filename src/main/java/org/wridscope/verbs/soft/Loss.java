// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * Why nothing arrives from a peer any more.
 *
 * @param type event type if the connection was established
 * @param status event status if the connection was established
 * @param errno errno of the exception for a thread that waits for the connection
 * @param sentence message of that exception
 */
record Loss(ConnectionEvent.Type type, int status, Errno errno, String sentence) {
  /** Values of Linux. */
  private static final int EPROTO = 71;

  /** The peer disconnected. */
  static Loss disconnected(String sentence) {
    return new Loss(ConnectionEvent.Type.DISCONNECTED, 0, Errno.ECONNREFUSED, sentence);
  }

  /** The stream ended without DISCONNECT, or broke. */
  static Loss reset(String sentence) {
    return new Loss(
        ConnectionEvent.Type.DISCONNECTED, -Errno.ECONNRESET.value(), Errno.ECONNREFUSED, sentence);
  }

  /** The peer violated the protocol. */
  static Loss broken(String sentence) {
    return new Loss(ConnectionEvent.Type.DISCONNECTED, -EPROTO, Errno.EIO, sentence);
  }

  /** Nothing was received for too long. */
  static Loss silent(String sentence) {
    return new Loss(
        ConnectionEvent.Type.UNREACHABLE, -Errno.ETIMEDOUT.value(), Errno.ETIMEDOUT, sentence);
  }

  VerbsException toException() {
    return errno == Errno.ECONNREFUSED
        ? new ConnectionRejectedException(sentence, false, new byte[0])
        : new VerbsException(errno, sentence);
  }
}
