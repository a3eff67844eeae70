// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a destination.
 *
 * @param uri address to listen on, {@code rdma:HOST:PORT}; port 0 takes any free port
 * @param device the RDMA device to use
 * @param guest the guest that is received
 * @param timeout how long to wait for a source, zero for no limit
 * @param monitored whether events and history are kept
 * @param refusePinAll whether the destination refuses to register all RAM at the beginning
 * @param allowed the addresses that may connect; empty for all
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

  /** A destination that accepts every source, and grants pin-all. */
  public DestinationSettings(
      String uri, DeviceChoice device, GuestSettings guest, Duration timeout, boolean monitored) {
    this(uri, device, guest, timeout, monitored, false, List.of());
  }

  /** Whether a peer may connect. */
  boolean admits(InetAddress peer) {
    return allowed.isEmpty() || allowed.stream().anyMatch(range -> range.contains(peer));
  }

  /** A copy with another address. */
  public DestinationSettings at(String otherUri) {
    return new DestinationSettings(
        otherUri, device, guest, timeout, monitored, refusePinAll, allowed);
  }

  /** A copy with another guest. */
  public DestinationSettings with(GuestSettings other) {
    return new DestinationSettings(uri, device, other, timeout, monitored, refusePinAll, allowed);
  }
}
