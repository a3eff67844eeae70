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

  /** An address as a global identifier of RoCE v2. */
  static String gidOf(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    return ip == null ? "::" : gidOf(ip);
  }

  /** An address written like a global identifier: IPv4 mapped to IPv6, and without a zone. */
  public static String gidOf(InetAddress address) {
    String text = address.getHostAddress();
    if (address instanceof Inet4Address) {
      return "::ffff:" + text;
    }
    int zone = text.indexOf('%');
    return (zone < 0 ? text : text.substring(0, zone)).replaceFirst("(^|:)0(:0)+(:|$)", "::");
  }
}
