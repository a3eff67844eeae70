// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.time.Duration;

/**
 * How long a QEMU may take, besides for the answers to commands.
 *
 * @param sending to connect, to send more of a stream, to end a migration
 * @param loading to take more of a stream, or to load the rest of it
 * @param disks of the source, to release the disks that a guest needs to start
 * @param ending to end after it was told to
 */
record Patience(Duration sending, Duration loading, Duration disks, Duration ending) {
  /** QEMU does all this at once, unless it hangs; a host that swaps is slow. */
  static final Patience DEFAULT =
      new Patience(
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10));
}
