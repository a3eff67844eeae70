// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.wridscope.units.Parse;

/**
 * Where QEMUs migrate by their own engines: {@code rdma:HOST:PORT}, {@code tcp:HOST:PORT} or {@code
 * unix:PATH}, as in QEMU's {@code migrate}. Its other schemes are refused: {@code exec:} runs
 * commands, and a {@code fd:} of this process means nothing to a QEMU.
 *
 * @param text as QEMU is told it
 */
public record QemuUri(String text) {
  private static final List<String> INTERNET = List.of("tcp:", "rdma:");
  private static final String UNIX = "unix:";

  /** The longest path of a Unix socket on Linux, in bytes: {@code sun_path} without its zero. */
  private static final int PATH_LIMIT = 107;

  /**
   * Parses a URI.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static QemuUri parse(String typed) {
    String text = typed.strip();
    if (text.chars().anyMatch(c -> c < ' ' || c == 0x7f)) {
      throw new IllegalArgumentException("URI: it contains a control character.");
    }
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.startsWith(UNIX)) {
      return unix(text);
    }
    if (INTERNET.stream().noneMatch(lower::startsWith)) {
      throw new IllegalArgumentException(
          "URI: %s is not an address for QEMU's own engine; write rdma:HOST:PORT, tcp:HOST:PORT or unix:PATH."
              .formatted(Parse.quoted(typed)));
    }
    String scheme = lower.substring(0, lower.indexOf(':') + 1);
    String rest = text.substring(scheme.length());
    if (rest.startsWith("//")) {
      // libvirt's form.
      rest = rest.substring(2).replaceFirst("/$", "");
    }
    // The rest has the same form for both schemes, and the same rules; only, a host must be named.
    MigrationUri parsed;
    try {
      parsed = MigrationUri.parse(rest.indexOf(':') > 0 ? "rdma:" + rest : "rdma:");
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "URI: %s has no valid host and port; write %sHOST:PORT, with an IPv6 address in brackets."
              .formatted(Parse.quoted(typed), scheme),
          e);
    }
    if (parsed.port() == 0) {
      throw new IllegalArgumentException(
          "URI: QEMU does not say which port it takes for port 0; write a port.");
    }
    return new QemuUri(scheme + parsed.toString().substring("rdma:".length()));
  }

  private static QemuUri unix(String text) {
    String path = text.substring(UNIX.length());
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException(
          "URI: %s is not an absolute path; both QEMUs must find the same socket."
              .formatted(Parse.quoted(path)));
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > PATH_LIMIT) {
      throw new IllegalArgumentException(
          "URI: the path of the socket is longer than %d bytes.".formatted(PATH_LIMIT));
    }
    return new QemuUri(UNIX + path);
  }

  /** Whether QEMU migrates over RDMA. */
  public boolean rdma() {
    return text.startsWith("rdma:");
  }

  /** Whether both QEMUs must be on one host. */
  public boolean local() {
    return text.startsWith(UNIX);
  }

  @Override
  public String toString() {
    return text;
  }
}
