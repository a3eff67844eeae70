// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Leftovers;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.files.FileKind;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.Group;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.Setting;
import org.wridscope.telemetry.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope destination}: receives a guest from another process or host. */
@Command(
    description = {
      "Waits for a source, another Wridscope or a QEMU, and receives its guest."
          + " Verifies the guest's RAM; that is not possible if the source is a QEMU. Prints"
          + " \"listening on rdma:HOST:PORT\" as soon as sources can connect. Port 0 takes any free"
          + " port. Without a host, only this machine can connect; with host 0.0.0.0, it listens on"
          + " all addresses.",
      "",
      "A synthetic guest receives everything but the size of its RAM from the source, and ends with"
          + " this command. Use --out for the RAM of a source's --image, --capture to keep any"
          + " guest in a file, and --qemu to run any guest in a QEMU that waits for it."
    })
final class DestinationCommand extends MigrationCommand {

  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Mixin
  private final SettingOptions settings =
      new SettingOptions(Defaults.SESSION, Place.DESTINATION, Place.LAND);

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file to which the RAM of a source's --image is written; requires --ram")
  private @Nullable Path out;

  @Option(
      names = "--capture",
      paramLabel = "FILE",
      description =
          "Capture any guest in this file; qemu-system-x86_64 -incoming \"exec:cat FILE\" or a"
              + " source's --restore starts it again")
  private @Nullable Path capture;

  @Option(
      names = GuestOptions.QEMU,
      paramLabel = "QMP-SOCKET",
      description =
          "Fill a QEMU on this machine that waits with -incoming defer, and start the guest there."
              + " It accepts QMP at this path, unix:PATH or tcp:HOST:PORT, and its RAM must be in a"
              + " shared file (docs/qemu.md)")
  private @Nullable String qemu;

  @Mixin private final AllowOption allow = new AllowOption();

  @Mixin private final OutputOptions outputs = new OutputOptions();

  DestinationCommand(MigrationRunner runner, Terminal terminal, FreeMemory freeMemory) {
    super(runner, terminal, freeMemory);
  }

  @Override
  OutputOptions outputs() {
    return outputs;
  }

  @Override
  MigrationRunner.Task task() throws InputException, IOException {
    boolean deferred = place.isDeferred(qmp);
    DestinationSettings wanted = settings(deferred ? "" : place.uri().toString());
    Leftovers.beside(wanted.guest()).forEach(terminal::message);
    if (deferred) {
      return new MigrationRunner.Task(
          GuestText.incoming(wanted.guest()),
          "waiting for migrate-incoming",
          false,
          MigrationRunner.expecting((manager, start) ->
              new SessionPair(
                  null,
                  start.awaitOpened(uri -> manager.openDestination(wanted.at(uri.toString()))))),
          this::begun,
          Role.DESTINATION);
    }
    return new MigrationRunner.Task(
        GuestText.incoming(wanted.guest()),
        false,
        (manager, _) -> new SessionPair(null, manager.startDestination(wanted)),
        this::begun);
  }

  private DestinationSettings settings(String uri) throws InputException, IOException {
    return new DestinationSettings(uri, place.device(), guest(), settings.read(), allow.ranges());
  }

  private void begun(Session session) {
    terminal.message("on %s: %s".formatted(session.device(), session.deviceReason()));
    terminal.result("listening on " + session.uri());
  }

  private GuestSettings guest() throws InputException, IOException {
    Setting<Boolean> verify = MigrationSetting.VERIFY;
    if (qemu != null) {
      refuseWithQemu();
      return new GuestSettings.Land(
          GuestSettings.parseQemu(GuestOptions.QEMU, qemu), settings.read().get(verify));
    }
    if (settings.isGiven(verify)) {
      throw new InputException(
          "%s: leave it out; without %s, RAM is always compared."
              .formatted(verify.option(), GuestOptions.QEMU));
    }
    boolean ram = settings.isGiven(GuestSetting.RAM);
    if (capture != null) {
      if (ram || out != null) {
        throw new InputException(
            "%s: leave it out with --capture; the source decides about the captured guest's RAM."
                .formatted(out == null ? "--ram" : "--out"));
      }
      outputs.refuseSame("the captured guest", capture);
      return new GuestSettings.Capture(outputs.output("--capture", capture, FileKind.STREAM));
    }
    if (out != null && !ram) {
      throw new InputException(
          "--out: give the length of the source's file, too, with --ram SIZE.");
    }
    GuestSettings.Synthetic guest = GuestSettings.Synthetic.incoming(settings.read());
    if (out == null) {
      freeMemory.requireOnce("--ram", guest.ramBytes());
      return guest;
    }
    outputs.refuseSame("the copy", out);
    return new GuestSettings.Image(
        null, outputs.output("--out", out, FileKind.RAM), guest.ramBytes());
  }

  /** A QEMU has its own machine. */
  private void refuseWithQemu() throws InputException {
    String other =
        settings.given().stream()
            .filter(setting -> setting.group() == Group.GUEST)
            .map(Setting::option)
            .findFirst()
            .orElse(out != null ? "--out" : capture != null ? "--capture" : null);
    if (other != null) {
      throw new InputException(
          "%s: leave it out with %s; the QEMU has its own machine."
              .formatted(other, GuestOptions.QEMU));
    }
  }
}
