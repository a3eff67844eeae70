// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The host that the address of a migration names. Nothing is resolved. */
public final class UriHost {
  /**
   * {@code rdma:HOST:PORT} and {@code tcp:HOST:PORT} as QEMU writes them, {@code rdma://HOST} as
   * libvirt does, and what stands for an address that libvirt chooses. Digits alone are a port.
   */
  private static final Pattern NAMED =
      Pattern.compile(
          "(?:(?:rdma|tcp):(?://)?|tcp, to [^/]+//(?:[^/@]*@)?)"
              + "(?:\\[([^\\]]+)\\]|(?![0-9]+$)([^\\[\\]:/,?]+)).*");

  private UriHost() {}

  /** The host, without brackets; empty if there is none, or if it is this machine. */
  static Optional<String> of(String uri) {
    Matcher named = NAMED.matcher(uri);
    if (!named.matches()) {
      return Optional.empty();
    }
    String host = named.group(1) == null ? named.group(2) : named.group(1);
    return isHere(host) ? Optional.empty() : Optional.of(host);
  }

  /** Whether a host is this machine for certain: loopback, or all of its addresses. */
  public static boolean isHere(String host) {
    InetAddress address = literal(host);
    return address != null
        ? address.isLoopbackAddress() || address.isAnyLocalAddress()
        : host.equals("localhost");
  }

  /** The address that a text is; null if it is a name. */
  public static @Nullable InetAddress literal(String host) {
    try {
      return InetAddress.ofLiteral(host);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
