// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;

/** How long the engine waits for whom. QEMU itself has no time-outs but those of resolving. */
final class Limits {
  /** Resolving and connecting; as QEMU resolves ({@code RDMA_RESOLVE_TIMEOUT_MS}). */
  static final Duration CONNECT = Duration.ofSeconds(10);

  /** An answer that the peer can give at once, behind what is on the link already. */
  static final Duration ANSWER = Duration.ofSeconds(60);

  /**
   * Work of unknown length at the peer: pinning all its RAM, writing between two messages, loading
   * device state, computing digests. Heartbeats tell sooner when a Wridscope has gone.
   */
  static final Duration WORK = Duration.ofMinutes(10);

  /** What depends on this side alone, such as a bandwidth limit. */
  static final Duration OWN = Duration.ofDays(1);

  /** The peer's disconnect after all is done. */
  static final Duration GOODBYE = Duration.ofSeconds(5);

  /** How long a source asks whether its guest was taken over. */
  static final Duration INQUIRY = Duration.ofSeconds(10);

  private Limits() {}
}
