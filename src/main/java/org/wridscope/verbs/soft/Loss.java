// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import org.wridscope.verbs.ConnectionEvent;
import org.wridscope.verbs.ConnectionRejectedException;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/**
 * Why nothing comes from a peer any more.
 *
 * @param type and status of the event, should the connection be established
 * @param errno and sentence for who waits to be connected
 */
record Loss(ConnectionEvent.Type type, int status, Errno errno, String sentence) {
  /** Of Linux. */
  private static final int EPROTO = 71;

  private static final int ECONNRESET = 104;

  /** The peer said so. */
  static Loss disconnected(String sentence) {
    return new Loss(ConnectionEvent.Type.DISCONNECTED, 0, Errno.ECONNREFUSED, sentence);
  }

  /** The stream ended, or broke. */
  static Loss reset(String sentence) {
    return new Loss(ConnectionEvent.Type.DISCONNECTED, -ECONNRESET, Errno.ECONNREFUSED, sentence);
  }

  /** The peer says what it must not. */
  static Loss broken(String sentence) {
    return new Loss(ConnectionEvent.Type.DISCONNECTED, -EPROTO, Errno.EIO, sentence);
  }

  /** Nothing was heard for long. */
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
