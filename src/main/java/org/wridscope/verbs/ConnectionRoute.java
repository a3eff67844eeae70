// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.wridscope.verbs.PortDescription.LinkLayer;

/**
 * The route of a connection.
 *
 * @param linkLayer of this end's port; unspecified when the device has no port
 * @param sourceGid global identifier of this end, written like an IPv6 address
 * @param destinationGid global identifier of the peer
 */
public record ConnectionRoute(LinkLayer linkLayer, String sourceGid, String destinationGid) {

  /** An address as a global identifier of RoCE v2: IPv4 mapped to IPv6. */
  static String gidOf(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    if (ip == null) {
      return "::";
    }
    return ip instanceof Inet4Address ? "::ffff:" + ip.getHostAddress() : ip.getHostAddress();
  }
}
