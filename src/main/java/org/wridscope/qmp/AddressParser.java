// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.text.Legible;
import org.wridscope.units.Parse;

/** The texts of addresses. Each refusal is an IllegalArgumentException with one sentence. */
final class AddressParser {
  /**
   * Length of the longest path of a unix-domain socket on Linux, in bytes: {@code sun_path} has
   * 108, with a 0 at the end.
   */
  private static final int MAX_PATH = 107;

  private static final Pattern TCP =
      Pattern.compile("tcp:(?:\\[([\\w:.%-]+)]|([^:\\[\\]\\s]+)):([0-9]{1,5})");

  private static final Pattern SSH =
      Pattern.compile("ssh:((?:\\w[\\w.-]*@)?[\\w:][\\w.:%-]*):(/.*)");

  /** No character that ssh expands, or that separates the parts of a forwarding. */
  private static final Pattern SSH_PATH = Pattern.compile("/[\\w/.+@=,-]*[\\w.+@=,-]");

  private AddressParser() {}

  static QmpAddress parse(String address) {
    String legible = Legible.of(address);
    if (!legible.equals(address)) {
      throw new IllegalArgumentException(
          "%s has characters that cannot be shown, or is too long."
              .formatted(Parse.quoted(legible)));
    }
    if (address.startsWith("tcp:")) {
      return tcp(address);
    }
    if (address.startsWith("ssh:")) {
      return ssh(address);
    }
    if (address.startsWith("unix:")) {
      return unix(address.substring("unix:".length()));
    }
    if (address.indexOf('/') >= 0) {
      return unix(address);
    }
    throw new IllegalArgumentException(
        "%s is not the address of a QMP socket; write unix:PATH, tcp:HOST:PORT or ssh:HOST:PATH."
            .formatted(Parse.quoted(address)));
  }

  private static QmpAddress.Unix unix(String path) {
    if (path.isEmpty() || path.endsWith("/")) {
      throw new IllegalArgumentException(
          "%s is not the path of a socket; write one such as unix:/run/vm.qmp."
              .formatted(Parse.quoted(path)));
    }
    QmpAddress.Unix unix;
    try {
      unix = new QmpAddress.Unix(Path.of(path));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(
          "%s is not the path of a socket.".formatted(Parse.quoted(path)), e);
    }
    requireFits(unix.path().toString());
    return unix;
  }

  private static void requireFits(String path) {
    int length = path.getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_PATH) {
      throw new IllegalArgumentException(
          "The path %s is too long for a socket: it has %d bytes, and the limit is %d."
              .formatted(Parse.quoted(path), length, MAX_PATH));
    }
  }

  private static QmpAddress.Tcp tcp(String address) {
    Matcher parts = TCP.matcher(address);
    int port = parts.matches() ? Integer.parseInt(parts.group(3)) : 0;
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException(
          "%s is not an address with a port from 1 to 65535; write tcp:HOST:PORT, with an IPv6 address in brackets."
              .formatted(Parse.quoted(address)));
    }
    String ipv6 = parts.group(1);
    return new QmpAddress.Tcp(ipv6 != null ? ipv6 : parts.group(2), port);
  }

  private static QmpAddress.Ssh ssh(String address) {
    Matcher parts = SSH.matcher(address);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "%s is not a socket of another machine; write ssh:HOST:PATH or ssh:USER@HOST:PATH, with an absolute path."
              .formatted(Parse.quoted(address)));
    }
    String path = parts.group(2);
    if (!SSH_PATH.matcher(path).matches()) {
      throw new IllegalArgumentException(
          "The path %s has characters that ssh cannot forward; use letters, digits and /._+@=,- only."
              .formatted(Parse.quoted(path)));
    }
    requireFits(path);
    return new QmpAddress.Ssh(parts.group(1), path);
  }
}
