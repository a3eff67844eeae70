// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.waiting;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.UriHost;

/** The addresses by which other hosts reach a destination that listens. */
final class ReachableHosts {
  private ReachableHosts() {}

  /**
   * Hosts for the URI of a source, the likeliest first. That on which the destination listens,
   * unless it listens on all addresses: then those of this machine, IPv4 first, loopback last.
   *
   * @param ofDevice the addresses of its RDMA device; empty for the software device
   */
  static List<String> of(MigrationUri listening, List<InetAddress> ofDevice)
      throws SocketException {
    InetAddress host = UriHost.literal(listening.host());
    if (host == null || !host.isAnyLocalAddress()) {
      return List.of(listening.host());
    }
    List<InetAddress> all = ofDevice.isEmpty() ? ofThisMachine() : ofDevice;
    List<String> hosts =
        all.stream()
            // An IPv6 socket on all addresses accepts IPv4, too; one of IPv4 does not accept IPv6.
            .filter(address -> host instanceof Inet6Address || address instanceof Inet4Address)
            .filter(address -> !address.isLinkLocalAddress() && !address.isAnyLocalAddress())
            .sorted(
                Comparator.comparing(InetAddress::isLoopbackAddress)
                    .thenComparing(address -> address instanceof Inet6Address))
            .map(ReachableHosts::text)
            .distinct()
            .toList();
    return hosts.isEmpty() ? List.of(listening.host()) : hosts;
  }

  /** Whether only programs on the same machine can use a host. */
  static boolean isOnlyLocal(String host) {
    InetAddress address = UriHost.literal(host);
    return address != null ? address.isLoopbackAddress() : host.equals("localhost");
  }

  private static String text(InetAddress address) {
    return address.getHostAddress().replaceFirst("%.*", "");
  }

  private static List<InetAddress> ofThisMachine() throws SocketException {
    var addresses = new ArrayList<InetAddress>();
    try (Stream<NetworkInterface> interfaces = NetworkInterface.networkInterfaces()) {
      for (NetworkInterface each : interfaces.toList()) {
        if (each.isUp()) {
          each.inetAddresses().forEach(addresses::add);
        }
      }
    }
    return addresses;
  }
}
