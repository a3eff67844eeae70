// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.text.Legible;

/**
 * The address of a libvirt, for example {@code qemu+ssh://HOST/system}, {@code qemu:///system} or
 * {@code test:///default}.
 *
 * @param text as the user wrote it
 */
public record VirtUri(String text) {
  private static final String SSH = "ssh";
  private static final List<String> DRIVERS = List.of("qemu", "test");

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  public static VirtUri parse(String typed) {
    String text = typed.strip();
    URI uri = asUri(text);
    if (uri == null || uri.getScheme() == null || uri.getRawPath() == null) {
      throw refused(text);
    }
    String driver = uri.getScheme().split("\\+", 2)[0];
    if (!DRIVERS.contains(driver) || uri.getRawPath().length() < 2) {
      throw refused(text);
    }
    if (transport(uri).equals(SSH) && host(uri).isEmpty()) {
      throw new IllegalArgumentException(
          "Connection: %s names no host; write qemu+ssh://HOST/system.".formatted(quoted(text)));
    }
    return new VirtUri(text);
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "Connection: %s is not an address of libvirt; write qemu+ssh://HOST/system, qemu:///system or qemu:///session."
            .formatted(quoted(text)));
  }

  private static String quoted(String text) {
    return '"' + Legible.of(text, 100) + '"';
  }

  private static @Nullable URI asUri(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      return null;
    }
  }

  private URI uri() {
    return URI.create(text);
  }

  private static String transport(URI uri) {
    String[] parts = uri.getScheme().split("\\+", 2);
    return parts.length > 1 ? parts[1] : "";
  }

  private static String host(URI uri) {
    String authority = uri.getRawAuthority();
    if (authority == null) {
      return "";
    }
    String place = authority.substring(authority.indexOf('@') + 1);
    int colon = place.lastIndexOf(':');
    boolean port = colon > 0 && place.indexOf(']') < colon;
    String host = port ? place.substring(0, colon) : place;
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /** The host, without brackets; empty for this machine. */
  public String host() {
    return host(uri());
  }

  /** Whether libvirt reaches the host through {@code ssh}. */
  public boolean ssh() {
    return transport(uri()).equals(SSH);
  }

  /**
   * The user and host that {@code ssh} connects to, and {@code -p} with a port; empty if not ssh.
   */
  public List<String> sshDestination() {
    if (!ssh()) {
      return List.of();
    }
    String authority = uri().getRawAuthority();
    int at = authority.indexOf('@');
    String user = at < 0 ? "" : authority.substring(0, at + 1);
    int colon = authority.lastIndexOf(':');
    String destination = user + host();
    return colon > at && authority.indexOf(']') < colon
        ? List.of("-p", authority.substring(colon + 1), "--", destination)
        : List.of("--", destination);
  }

  /** Whether QEMU runs under the account of the user, without privileges. */
  public boolean session() {
    return uri().getRawPath().equals("/session");
  }

  /**
   * What libvirt is told: over ssh nothing may ask on a terminal for a password, since nobody sees
   * that terminal.
   */
  String opened() {
    String query = uri().getRawQuery();
    boolean told =
        query != null && Arrays.stream(query.split("&")).anyMatch(one -> one.startsWith("no_tty="));
    if (!ssh() || told) {
      return text;
    }
    return text + (query == null ? "?" : "&") + "no_tty=1";
  }

  @Override
  public String toString() {
    return Legible.of(text);
  }
}
