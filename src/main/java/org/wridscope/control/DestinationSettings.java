// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import org.wridscope.settings.Setting;
import org.wridscope.settings.Settings;

/**
 * The settings of a destination.
 *
 * @param uri address to listen on, {@code rdma:HOST:PORT}; port 0 takes any free port
 * @param device the RDMA device to use
 * @param guest the guest that is received
 * @param settings how
 * @param allowed the addresses that may connect; empty for all
 */
public record DestinationSettings(
    String uri,
    DeviceChoice device,
    GuestSettings guest,
    Settings settings,
    List<AddressRange> allowed) {

  public DestinationSettings {
    allowed = List.copyOf(allowed);
  }

  /** A destination that accepts every source, with the usual settings. */
  public DestinationSettings(String uri, DeviceChoice device, GuestSettings guest) {
    this(uri, device, guest, Settings.USUAL, List.of());
  }

  public <T> T get(Setting<T> setting) {
    return settings.get(setting);
  }

  /** A copy with another value of a setting. */
  public <T> DestinationSettings with(Setting<T> setting, T value) {
    return new DestinationSettings(uri, device, guest, settings.with(setting, value), allowed);
  }

  /** Whether a peer may connect. */
  boolean admits(InetAddress peer) {
    return allowed.isEmpty() || allowed.stream().anyMatch(range -> range.contains(peer));
  }

  /** A copy with another address. */
  public DestinationSettings at(String otherUri) {
    return new DestinationSettings(otherUri, device, guest, settings, allowed);
  }

  /** A copy with another guest. */
  public DestinationSettings with(GuestSettings other) {
    return new DestinationSettings(uri, device, other, settings, allowed);
  }
}
