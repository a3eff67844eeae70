// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;

/**
 * How to migrate a guest away.
 *
 * @param uri where to, {@code rdma:HOST:PORT}
 * @param device over which device
 * @param guest the guest
 * @param pinAll whether all RAM is registered at the beginning (QEMU's {@code rdma-pin-all})
 * @param bandwidthLimit bytes of RAM a second, 0 for no limit
 * @param downtimeLimit how long the guest may stand still at the switch-over
 * @param timeout after which the migration is given up, zero for never
 * @param monitored whether events and history are kept
 * @param unregister whether registrations are given back as soon as what they are for was sent; not
 *     together with pinAll
 */
public record SourceSettings(
    String uri,
    DeviceChoice device,
    GuestSettings guest,
    boolean pinAll,
    long bandwidthLimit,
    Duration downtimeLimit,
    Duration timeout,
    boolean monitored,
    boolean unregister) {

  /** A source that keeps its registrations to the end. */
  public SourceSettings(
      String uri,
      DeviceChoice device,
      GuestSettings guest,
      boolean pinAll,
      long bandwidthLimit,
      Duration downtimeLimit,
      Duration timeout,
      boolean monitored) {
    this(uri, device, guest, pinAll, bandwidthLimit, downtimeLimit, timeout, monitored, false);
  }
}
