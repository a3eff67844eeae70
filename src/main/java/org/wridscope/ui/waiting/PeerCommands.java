// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.waiting;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.wridscope.control.AddressRange;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.text.Format;
import org.wridscope.verbs.soft.SoftNetwork;

/**
 * The commands that start a source for a destination that waits.
 *
 * @param commands in the order in which they are shown
 * @param notes what else the user must know, a sentence each
 */
record PeerCommands(List<Command> commands, List<String> notes) {

  /**
   * A command.
   *
   * @param where it is typed, a phrase
   * @param text has no line break
   */
  record Command(String where, String text) {}

  private static final String SHELL = "Wridscope, on the other host";
  private static final String MONITOR = "QEMU's monitor";

  /**
   * The commands for a destination.
   *
   * @param settings what it was started with
   * @param listening where it listens; the port is known
   * @param host by which the source reaches it
   * @param device through which it listens
   */
  static PeerCommands of(
      DestinationSettings settings, MigrationUri listening, String host, String device) {
    String uri = new MigrationUri(host, listening.port()).toString();
    boolean software = device.equals(SoftNetwork.NAME);
    var commands = new ArrayList<Command>();
    var notes = new ArrayList<String>();
    commands.add(
        new Command(
            SHELL,
            "wridscope source %s%s %s"
                .formatted(
                    uri,
                    software ? " --device " + DeviceChoice.SOFTWARE : "",
                    guest(settings.guest()))));
    if (settings.guest() instanceof GuestSettings.Capture) {
      if (software) {
        notes.add(
            "A QEMU needs an RDMA device at both ends, and this destination uses the software"
                + " device.");
      } else {
        // Both ends must know; the destination decides.
        commands.add(
            new Command(
                MONITOR,
                settings.get(MigrationSetting.REFUSE_PIN_ALL)
                    ? "migrate_set_capability rdma-pin-all off"
                    : "migrate_set_capability rdma-pin-all on"));
        commands.add(new Command(MONITOR, "migrate -d " + uri));
        notes.add(
            settings.get(MigrationSetting.REFUSE_PIN_ALL)
                ? "This destination refuses to register all RAM at the beginning."
                : "Leave rdma-pin-all off to register RAM chunk by chunk.");
      }
    }
    if (!settings.allowed().isEmpty()) {
      notes.add(
          "Only sources with these addresses may connect: %s."
              .formatted(
                  settings.allowed().stream()
                      .map(AddressRange::toString)
                      .collect(Collectors.joining(", "))));
    }
    return new PeerCommands(commands, notes);
  }

  private static String guest(GuestSettings guest) {
    return switch (guest) {
      case GuestSettings.Synthetic synthetic -> "--ram " + Format.exactBytes(synthetic.ramBytes());
      case GuestSettings.Image _ -> "--image FILE";
      case GuestSettings.Capture _, GuestSettings.Restore _ -> "--restore FILE";
      case GuestSettings.Land _, GuestSettings.Lift _ -> "--qemu QMP-SOCKET";
    };
  }
}
