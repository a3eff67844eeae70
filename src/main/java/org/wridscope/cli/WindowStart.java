// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.wridscope.control.Defaults;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.qmp.CommandException;
import org.wridscope.remote.Launcher;

/** Starts the sessions of a window that clients ask for, with the default guest. */
final class WindowStart implements Launcher {
  private final SessionManager manager;

  WindowStart(SessionManager manager) {
    this.manager = manager;
  }

  /** Starts a session. */
  @FunctionalInterface
  private interface Start {
    void start() throws InputException, IOException;
  }

  @Override
  public boolean awaitsMigrate() {
    return true;
  }

  @Override
  public void migrate(String uri, UnaryOperator<MigrationSettings> wanted) throws CommandException {
    start(() -> {
      GuestSettings guest = new SyntheticGuestOptions(Defaults.SESSION).settings();
      MigrationSettings settings = new MigrationOptions(Defaults.SESSION).settings(guest);
      var _ =
          manager.startSource(
              new SourceSettings(uri, new DeviceChoice.Automatic(), wanted.apply(settings)));
    });
  }

  @Override
  public void migrateIncoming(String uri) throws CommandException {
    start(() -> {
      GuestSettings guest =
          GuestSettings.Synthetic.incoming(
              GuestSettings.parseRam("--ram", Defaults.RAM),
              new VirtioVariant(VirtioFault.NONE, VirtioPolicy.WHOLE_STATE));
      var _ =
          manager.startDestination(
              new DestinationSettings(
                  uri, new DeviceChoice.Automatic(), guest, Duration.ZERO, true));
    });
  }

  private static void start(Start start) throws CommandException {
    try {
      start.start();
    } catch (InputException | IOException | IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }
}
