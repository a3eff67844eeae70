// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.units.Parse;

/** Where metrics are served: a port, of this machine only unless an address is given. */
public final class MetricsAddress {
  private static final Pattern TEXT =
      Pattern.compile("(?:(?:\\[([0-9A-Fa-f:.]+)]|([^\\[\\]:\\s]+)):)?([0-9]{1,5})");

  private static final int MAX_PORT = 65535;

  private MetricsAddress() {}

  /**
   * Parses {@code PORT}, {@code HOST:PORT} or {@code [IPv6]:PORT}, and resolves the host.
   *
   * @param field name of the option, for the message
   * @return the address; port 0 stands for any free one
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static InetSocketAddress parse(String field, String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (!matcher.matches() || Integer.parseInt(matcher.group(3)) > MAX_PORT) {
      throw new IllegalArgumentException(
          "%s: %s is not an address; write PORT or ADDRESS:PORT, for example 127.0.0.1:9402."
              .formatted(field, Parse.quoted(text)));
    }
    int port = Integer.parseInt(matcher.group(3));
    String host = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(
          "%s: the host name %s cannot be resolved; check the spelling."
              .formatted(field, Parse.quoted(String.valueOf(host))),
          e);
    }
  }
}
