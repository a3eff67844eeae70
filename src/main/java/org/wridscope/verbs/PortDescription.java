// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.InetAddress;
import java.util.List;

/**
 * A port of a device; see {@code ibv_query_port(3)} and {@code ibv_query_gid(3)}.
 *
 * @param number 1 and up
 * @param state state of the logical link; only an active port carries data
 * @param linkLayer link layer of the port
 * @param activeMtu in bytes, 256 to 4096
 * @param lid local identifier on InfiniBand, 0 on Ethernet
 * @param gids the port's global identifiers in table order without the empty ones, written like
 *     IPv6 addresses
 * @param networkInterface name of the network interface with its IP addresses, empty when unknown
 * @param addresses IP addresses of that interface
 */
public record PortDescription(
    int number,
    PortState state,
    LinkLayer linkLayer,
    int activeMtu,
    int lid,
    List<String> gids,
    String networkInterface,
    List<InetAddress> addresses) {

  public PortDescription {
    gids = List.copyOf(gids);
    addresses = List.copyOf(addresses);
  }

  /** Link layer of a port; see the values {@code IBV_LINK_LAYER_*}. */
  public enum LinkLayer {
    UNSPECIFIED,
    INFINIBAND,
    ETHERNET
  }

  /** State of a port's logical link; see {@code enum ibv_port_state}. */
  public enum PortState {
    NOP,
    DOWN,
    INIT,
    ARMED,
    ACTIVE,
    ACTIVE_DEFER
  }
}
