// SPDX-License-Identifier: Apache-2.0
package org.wridscope.remote;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;
import org.wridscope.control.Session;
import org.wridscope.qmp.Access;
import org.wridscope.qmp.Command;
import org.wridscope.qmp.QemuVersion;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.QmpServer;

/**
 * Lets other programs control the sessions of this process as they control a QEMU; {@code
 * docs/qmp.md} lists the commands. Thread-safe.
 */
public final class RemoteControl implements AutoCloseable {
  private final QmpServer server;
  private final EventPump events;

  private RemoteControl(QmpServer server, EventPump events) {
    this.server = server;
    this.events = events;
  }

  /**
   * Where and for whom.
   *
   * @param readOnly whether clients may only ask
   */
  public record Settings(QmpAddress address, Access access, boolean readOnly) {}

  /**
   * Begins to listen.
   *
   * @param version of this program
   * @param shown the sessions that this process shows, in the order of starting
   * @param launcher begins the migrations that clients ask for
   * @param quit ends this process; must not wait
   * @throws IOException if the socket cannot be made or is not safe; one sentence
   */
  public static RemoteControl open(
      Settings settings,
      String version,
      Supplier<List<Session>> shown,
      Launcher launcher,
      Runnable quit)
      throws IOException {
    // Those of other processes are asked there; this one may even be attached to itself.
    Supplier<List<Session>> sessions =
        () -> shown.get().stream().filter(session -> !session.isRemote()).toList();
    var present = new PresentSession(sessions);
    var plan = new Plan();
    var capabilities = new Capabilities(present, plan, settings.readOnly());
    var commands = new HashMap<String, Command>();
    var guest = new GuestControl(present, plan, launcher);
    var machine = new MachineCommands(present, guest);
    commands.putAll(machine.queries());
    var migration = new MigrationCommands(present, capabilities, plan, launcher);
    commands.putAll(migration.queries());
    var own = new SessionCommands(sessions, present, guest);
    commands.putAll(own.queries());
    commands.put(
        Subscriptions.COMMAND, new Subscriptions(sessions, !settings.readOnly())::subscribe);
    if (!settings.readOnly()) {
      commands.putAll(machine.actions());
      commands.putAll(migration.actions());
      commands.putAll(own.actions());
      commands.put("quit", quit(quit));
    }
    commands.put(HumanMonitor.COMMAND, new HumanMonitor(commands, version)::execute);
    QmpServer server =
        QmpServer.open(
            settings.address(),
            settings.access(),
            // The one whose commands and errors these are.
            new QemuVersion(7, 2, 0, version),
            commands);
    var events = new EventPump(server, present, guest, capabilities);
    events.start();
    return new RemoteControl(server, events);
  }

  private static Command quit(Runnable quit) {
    return arguments -> {
      arguments.requireNoMore();
      quit.run();
      return Json.nothing();
    };
  }

  /** Where it listens. */
  public QmpAddress address() {
    return server.address();
  }

  /** Ends all connections, and removes the socket. */
  @Override
  public void close() {
    events.close();
    server.close();
  }
}
