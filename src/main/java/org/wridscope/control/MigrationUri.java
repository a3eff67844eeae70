// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.util.regex.Pattern;

/**
 * A migration URI as QEMU has it, {@code rdma:HOST:PORT}; an IPv6 address stands in brackets. The
 * options that QEMU reads behind a comma and ignores for RDMA are checked and ignored here too.
 * Without a host, as {@code rdma:4444} or {@code rdma::4444}, it means this machine alone: QEMU
 * refuses that.
 *
 * @param host name or address, without brackets; not empty
 * @param port 0 to 65535
 */
public record MigrationUri(String host, int port) {
  private static final String SCHEME = "rdma:";

  /** What a URI without a host means. */
  private static final String LOOPBACK = "127.0.0.1";

  private static final Pattern PORT_ONLY = Pattern.compile("rdma::?[0-9]+");

  /** What QEMU's {@code inet_parse()} knows. */
  private static final Pattern OPTION =
      Pattern.compile("to=[0-9]{1,5}|(ipv4|ipv6|keep-alive|mptcp)(=(on|off))?");

  /**
   * Takes a URI apart.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static MigrationUri parse(String text) {
    String[] parts = text.strip().split(",", -1);
    for (int i = 1; i < parts.length; i++) {
      if (!OPTION.matcher(parts[i]).matches()) {
        throw new IllegalArgumentException(
            "URI: the option %s of %s is not known; QEMU takes to=PORT, ipv4, ipv6, keep-alive and mptcp, and so does Wridscope."
                .formatted(Parse.quoted(parts[i]), Parse.quoted(text)));
      }
    }
    String rest = parts[0];
    if (PORT_ONLY.matcher(rest).matches()) {
      rest = SCHEME + LOOPBACK + ":" + rest.substring(rest.lastIndexOf(':') + 1);
    }
    int colon = rest.lastIndexOf(':');
    if (!rest.startsWith(SCHEME) || colon < SCHEME.length()) {
      throw new IllegalArgumentException(
          "URI: %s is not rdma:HOST:PORT, such as rdma:127.0.0.1:4444."
              .formatted(Parse.quoted(text)));
    }
    String host = rest.substring(SCHEME.length(), colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "URI: %s: an IPv6 address stands in brackets, such as rdma:[::1]:4444."
              .formatted(Parse.quoted(text)));
    }
    if (host.isEmpty() || host.chars().anyMatch(c -> c <= ' ' || c == '[' || c == ']')) {
      throw new IllegalArgumentException(
          "URI: %s names no host; write one, such as rdma:127.0.0.1:4444."
              .formatted(Parse.quoted(text)));
    }
    return new MigrationUri(host, port(text, rest.substring(colon + 1)));
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
          "URI: port %d is out of range; the highest is 65535.".formatted(port));
    }
    return port;
  }

  @Override
  public String toString() {
    return SCHEME + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
