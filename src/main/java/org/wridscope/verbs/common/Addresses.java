// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Socket addresses as text. */
public final class Addresses {
  private Addresses() {}

  /** Host and port, with an IPv6 address in brackets. */
  public static String text(InetSocketAddress address) {
    if (address.getAddress() == null) {
      return address.getHostString() + ":" + address.getPort();
    }
    String host = address.getAddress().getHostAddress();
    return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host)
        + ":"
        + address.getPort();
  }
}
