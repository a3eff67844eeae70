// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.time.Duration;

/**
 * How long a device on the network waits for whom.
 *
 * @param greeting from the TCP connection to the whole connection request
 * @param keepalive after which an end that had nothing to send says that it is there
 * @param silence after which a peer counts as gone; several keepalives
 * @param farewell for the last words of a connection that was closed
 * @param strangers TCP connections of one listener that have not sent a whole request
 */
record NetworkLimits(
    Duration greeting, Duration keepalive, Duration silence, Duration farewell, int strangers) {

  /** A machine may be so loaded that a keepalive is seconds late. */
  static final NetworkLimits DEFAULT =
      new NetworkLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          1024);
}
