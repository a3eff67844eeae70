// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;

/**
 * Limits of a device on the network.
 *
 * @param greeting how long a TCP connection may take to send a complete connection request
 * @param keepalive idle time after which an end sends KEEPALIVE
 * @param silence time without any data after which a peer counts as lost; several keepalives
 * @param linger how long a closed connection may take to send what is left
 * @param pendingPeers how many TCP connections to one listener may have sent no complete request
 */
record NetworkLimits(
    Duration greeting, Duration keepalive, Duration silence, Duration linger, int pendingPeers) {

  /** Generous, since a keepalive is seconds late on a heavily loaded machine. */
  static final NetworkLimits DEFAULT =
      new NetworkLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          1024);
}
