// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Session;
import org.wridscope.telemetry.Format;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.settings.SettingsForm.Field;

/**
 * A destination in this process that waits for a source.
 *
 * @param uri where a source of this machine reaches it
 * @param ramBytes size of the guest that it has room for; 0 when it takes any
 */
public record Listening(String uri, long ramBytes) {

  /** Those among these sessions, the oldest first. */
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

  /** All addresses of this machine are none that one can connect to. */
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

  /** Enters this destination, and a guest that it has room for. */
  public void fill(SettingsForm form) {
    form.set(Field.URI, uri);
    if (ramBytes > 0) {
      form.set(Field.RAM, Format.exactBytes(ramBytes));
    }
  }
}
