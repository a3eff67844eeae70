// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;

/**
 * How long the engine waits for whom. QEMU itself has no time-outs but those of resolving.
 *
 * @param connect resolving and connecting
 * @param answer an answer that the peer can give at once, behind what is on the link already
 * @param work work of unknown length at the peer: pinning all its RAM, writing between two
 *     messages, loading device state, computing digests; heartbeats tell sooner when a Wridscope
 *     has gone
 * @param goodbye the peer's disconnect after all is done
 * @param inquiry how long a source asks whether its guest was taken over
 * @param heartbeat after which a Wridscope that had nothing to send says that it is alive
 * @param silence of a Wridscope after which it counts as gone
 */
record Limits(
    Duration connect,
    Duration answer,
    Duration work,
    Duration goodbye,
    Duration inquiry,
    Duration heartbeat,
    Duration silence) {

  /**
   * What a migration has. Connecting takes as long as QEMU resolves ({@code
   * RDMA_RESOLVE_TIMEOUT_MS}), and several heartbeats may be late on a loaded machine. An end that
   * was stopped for 20 s, and counts as gone after 10 s or 15 s of them, is still asked and
   * answered.
   */
  static final Limits DEFAULT =
      new Limits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          Duration.ofSeconds(1),
          Duration.ofSeconds(15));

  /** How long a QEMU may take to load the states of its devices, after which it disconnects. */
  Duration loading() {
    return goodbye.multipliedBy(4);
  }

  /**
   * How long a source may take to confirm that it was accepted, while others wait behind it: its
   * device does so by itself, and repeats it after 4.3 s when it was lost (librdmacm).
   */
  Duration confirm() {
    return connect.dividedBy(2);
  }

  /** What depends on this side alone, such as a bandwidth limit. */
  static final Duration OWN = Duration.ofDays(1);
}
