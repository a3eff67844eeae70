// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * How to receive a guest.
 *
 * @param uri where to listen, {@code rdma:HOST:PORT}; port 0 takes a free one
 * @param device with which device
 * @param guest the guest whose RAM is filled
 * @param timeout how long to wait for a source, zero for as long as it takes
 * @param monitored whether events and history are kept
 * @param refusePinAll whether not all RAM is registered at the beginning when a source asks for it
 * @param allowed who may connect; empty for everybody
 */
public record DestinationSettings(
    String uri,
    DeviceChoice device,
    GuestSettings guest,
    Duration timeout,
    boolean monitored,
    boolean refusePinAll,
    List<AddressRange> allowed) {

  public DestinationSettings {
    allowed = List.copyOf(allowed);
  }

  /** A destination that grants whoever comes what it asks for. */
  public DestinationSettings(
      String uri, DeviceChoice device, GuestSettings guest, Duration timeout, boolean monitored) {
    this(uri, device, guest, timeout, monitored, false, List.of());
  }

  /** Whether a peer may connect. */
  boolean admits(InetAddress peer) {
    return allowed.isEmpty() || allowed.stream().anyMatch(range -> range.contains(peer));
  }

  /** The same for another guest. */
  public DestinationSettings with(GuestSettings other) {
    return new DestinationSettings(uri, device, other, timeout, monitored, refusePinAll, allowed);
  }
}
