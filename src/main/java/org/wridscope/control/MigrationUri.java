// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.regex.Pattern;
import org.wridscope.units.Parse;

/**
 * A migration URI as in QEMU, {@code rdma:HOST:PORT}, with an IPv6 address in brackets. Options
 * after a comma, which QEMU accepts and ignores for RDMA, are checked and ignored here, too.
 * Without a host, as in {@code rdma:4444} or {@code rdma::4444}, which QEMU refuses, it means the
 * loopback address. libvirt's form {@code rdma://HOST:PORT} means the same.
 *
 * @param host name or address, without brackets; not empty
 * @param port 0 to 65535
 */
public record MigrationUri(String host, int port) {
  private static final String SCHEME = "rdma:";

  private static final String OF_LIBVIRT = "rdma://";

  /** The host of a URI without one. */
  private static final String LOOPBACK = "127.0.0.1";

  private static final Pattern PORT_ONLY = Pattern.compile("rdma::?[0-9]+");

  /** The options of QEMU's {@code inet_parse()}. */
  private static final Pattern OPTION =
      Pattern.compile("to=[0-9]{1,5}|(ipv4|ipv6|keep-alive|mptcp)(=(on|off))?");

  /**
   * Parses a URI.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static MigrationUri parse(String text) {
    String[] parts = text.strip().split(",", -1);
    for (int i = 1; i < parts.length; i++) {
      if (!OPTION.matcher(parts[i]).matches()) {
        throw new IllegalArgumentException(
            "URI: %s in %s is not a known option; the options are to=PORT, ipv4, ipv6, keep-alive and mptcp, as in QEMU."
                .formatted(Parse.quoted(parts[i]), Parse.quoted(text)));
      }
    }
    String rest = parts[0].startsWith(OF_LIBVIRT) ? ofLibvirt(parts[0]) : parts[0];
    if (PORT_ONLY.matcher(rest).matches()) {
      rest = SCHEME + LOOPBACK + ":" + rest.substring(rest.lastIndexOf(':') + 1);
    }
    int colon = rest.lastIndexOf(':');
    if (!rest.startsWith(SCHEME) || colon < SCHEME.length()) {
      throw new IllegalArgumentException(
          "URI: %s is not a migration URI; write rdma:HOST:PORT, such as rdma:127.0.0.1:4444."
              .formatted(Parse.quoted(text)));
    }
    String host = rest.substring(SCHEME.length(), colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "URI: write the IPv6 address of %s in brackets, as in rdma:[::1]:4444."
              .formatted(Parse.quoted(text)));
    }
    if (host.isEmpty() || host.chars().anyMatch(c -> c <= ' ' || "[]/".indexOf(c) >= 0)) {
      throw new IllegalArgumentException(
          "URI: %s has no valid host; write one, such as rdma:127.0.0.1:4444."
              .formatted(Parse.quoted(text)));
    }
    return new MigrationUri(host, port(text, rest.substring(colon + 1)));
  }

  /** Without the slashes of libvirt, which allows one after the port, too. */
  private static String ofLibvirt(String text) {
    String place = text.substring(OF_LIBVIRT.length());
    return SCHEME + (place.endsWith("/") ? place.substring(0, place.length() - 1) : place);
  }

  private static int port(String uri, String digits) {
    boolean plain = !digits.isEmpty() && digits.length() <= 5;
    if (!plain || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw new IllegalArgumentException(
          "URI: the port of %s is not a number from 0 to 65535.".formatted(Parse.quoted(uri)));
    }
    int port = Integer.parseInt(digits);
    if (port > 65535) {
      throw new IllegalArgumentException(
          "URI: port %d is out of range; the highest port is 65535.".formatted(port));
    }
    return port;
  }

  @Override
  public String toString() {
    return SCHEME + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
