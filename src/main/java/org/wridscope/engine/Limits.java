// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import java.time.Duration;

/**
 * Time limits of each wait. QEMU has no time-outs except for resolving.
 *
 * @param connect resolving and connecting
 * @param answer an answer that the peer can give immediately, after what is already on the link
 * @param work work of unknown length at the peer: pinning all RAM, writing to a file, loading
 *     device state, computing digests; heartbeats tell earlier if a Wridscope has gone
 * @param goodbye the peer's disconnect at the end
 * @param inquiry how long a source asks whether the destination started the guest
 * @param heartbeat time without a message after which a Wridscope sends a heartbeat
 * @param silence time without a message after which a Wridscope is considered gone
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
   * The default limits. That of connecting is QEMU's for resolving ({@code
   * RDMA_RESOLVE_TIMEOUT_MS}). The silence allows for several heartbeats that are late on a loaded
   * machine. The inquiry is long enough for a peer that was stopped for 20 s, after 10 s or 15 s of
   * which it was considered gone.
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

  /** How long QEMU may take to load device states, after which it disconnects. */
  Duration loading() {
    return goodbye.multipliedBy(4);
  }

  /**
   * How long a source may take to confirm that it was accepted, while others wait: its device
   * confirms by itself, and again after 4.3 s if the confirmation was lost (librdmacm).
   */
  Duration confirm() {
    return connect.dividedBy(2);
  }

  /** Limit of a wait that depends on this side only, such as that for the bandwidth limit. */
  static final Duration OWN = Duration.ofDays(1);
}
