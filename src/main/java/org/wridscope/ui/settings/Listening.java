// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/**
 * A destination in this process that waits for a source.
 *
 * @param uri its address for a source on this machine
 * @param ramBytes the size of the guest that it expects; 0 for any
 */
public record Listening(String uri, long ramBytes) {

  /** The listening destinations among these sessions, the oldest first. */
  public static List<Listening> in(List<Session> sessions) {
    return sessions.stream()
        .filter(session -> session.role() == Role.DESTINATION)
        .filter(session -> session.status() == MigrationStatus.NONE)
        .map(session ->
            new Listening(
                reachable(MigrationUri.parse(session.uri())),
                session.telemetry().metrics().get(Metric.RAM_TOTAL)))
        .toList();
  }

  /** Replaces the wildcard address, to which no source can connect, by the loopback address. */
  private static String reachable(MigrationUri uri) {
    boolean literal = uri.host().matches("[0-9.]+|.*:.*");
    try {
      return literal && InetAddress.getByName(uri.host()).isAnyLocalAddress()
          ? new MigrationUri(uri.host().contains(":") ? "::1" : "127.0.0.1", uri.port()).toString()
          : uri.toString();
    } catch (UnknownHostException e) {
      return uri.toString();
    }
  }

  /** Enters this destination, and the size of the guest that it expects. */
  public void fill(SettingsForm form) {
    form.set(Field.URI, uri);
    if (ramBytes > 0) {
      form.set(Field.RAM, Format.exactBytes(ramBytes));
    }
  }
}
