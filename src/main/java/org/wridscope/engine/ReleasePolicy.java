// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.io.IOException;
import org.wridscope.verbs.WorkCompletion;

/**
 * When the contexts of a {@link SendQueue} are put back, and with them what their requests need.
 * The default methods are those of the engine itself, which waits for the completion; only the
 * demonstration in {@link ReleaseOnReply} overrides them.
 */
interface ReleasePolicy {

  /** The policy of the engine itself. */
  ReleasePolicy ON_COMPLETION = new ReleasePolicy() {};

  /** A message has been posted that the peer will answer. */
  default void asked() {}

  /**
   * The peer's answer to the last such message has come.
   *
   * @throws IOException if a resource could not be released
   */
  default void answered() throws IOException {}

  /** Whether the request of a completion of the send queue still has its context. */
  default boolean isHeld(WorkCompletion completion) {
    return true;
  }
}
