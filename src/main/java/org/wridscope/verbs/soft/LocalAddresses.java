// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/** The addresses of this machine. */
final class LocalAddresses {
  private LocalAddresses() {}

  /** Whether the address is one of this machine, or the wildcard address. */
  static boolean contain(InetSocketAddress address) {
    InetAddress host = address.getAddress();
    if (host == null) {
      return false;
    }
    if (host.isLoopbackAddress() || host.isAnyLocalAddress()) {
      return true;
    }
    try {
      return NetworkInterface.getByInetAddress(host) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  /** The address to connect to: loopback instead of the wildcard address. */
  static InetAddress reachable(InetSocketAddress destination) {
    return destination.getAddress().isAnyLocalAddress()
        ? InetAddress.getLoopbackAddress()
        : destination.getAddress();
  }
}
