// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionManager;
import org.wridscope.control.SourceSettings;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.qmp.CommandException;
import org.wridscope.remote.Launcher;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;

/** Starts the sessions of a window that clients ask for, with the default guest. */
final class WindowStart implements Launcher {
  private final SessionManager manager;

  /** The last destination that a client has started. */
  private @Nullable Session incoming;

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
      GuestSettings guest = GuestSettings.Synthetic.of(Defaults.SESSION);
      MigrationSettings settings = new MigrationSettings(guest);
      var _ =
          manager.startSource(
              new SourceSettings(uri, new DeviceChoice.Automatic(), wanted.apply(settings)));
    });
  }

  @Override
  public synchronized void migrateIncoming(String uri) throws CommandException {
    if (incoming != null && incoming.preparing()) {
      throw new CommandException(INCOMING_STARTED);
    }
    start(() -> {
      GuestSettings guest =
          GuestSettings.Synthetic.incoming(
              GuestSetting.RAM.usual(),
              new VirtioVariant(VirtioFault.NONE, VirtioPolicy.WHOLE_STATE));
      incoming =
          manager.openDestination(
              new DestinationSettings(uri, new DeviceChoice.Automatic(), guest));
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
