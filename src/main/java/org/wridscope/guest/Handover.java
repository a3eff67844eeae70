// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;

/**
 * Where a source asks whether its guest was started, if it loses the connection at the switch-over.
 *
 * @param device name of the RDMA device of this end
 * @param destination at a source, the address of the destination; at a destination, the address on
 *     which it listens
 * @param migration null if the destination is not a Wridscope and cannot be asked
 * @param secret with which the destination proves its answers; null if it cannot
 */
public record Handover(
    String device,
    InetSocketAddress destination,
    @Nullable MigrationId migration,
    @Nullable MigrationSecret secret) {

  /**
   * The host of the destination as text that can be read again on this machine: an address of a
   * link has the number of its interface, since the name may be another's by then, or nobody's.
   */
  public String host() {
    InetAddress address = destination.getAddress();
    if (address == null) {
      return destination.getHostString();
    }
    String text = address.getHostAddress();
    int scope = address instanceof Inet6Address six ? six.getScopeId() : 0;
    return scope == 0 ? text : text.substring(0, text.indexOf('%')) + "%" + scope;
  }
}
