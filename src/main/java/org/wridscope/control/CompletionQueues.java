// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

/** Where the send queue and the receive queue of each end complete. */
public enum CompletionQueues {
  /** Each in a queue of its own, as in QEMU since its commit b390afd8c50b. */
  SPLIT,
  /**
   * Both in one, as in QEMU before: a wait for one completion throws away the others that it meets,
   * so that a migration hangs when completions come in an order that nobody expected.
   */
  SHARED
}
