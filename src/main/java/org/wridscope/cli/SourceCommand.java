// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.SourceSettings;
import org.wridscope.files.UserFiles;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.telemetry.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope source}: migrates a guest to another process or host. */
@Command(
    description = {
      "Migrates a guest to a destination that already listens: another Wridscope, or a QEMU with"
          + " -incoming rdma:HOST:PORT.",
      "",
      "The guest is a synthetic one with a workload that writes to its memory, the content of a"
          + " file (--image), a captured guest (--restore), or the guest of a running QEMU"
          + " (--qemu). Write sizes as 512MiB or 2GiB, rates"
          + " as 200MiB/s or 10Gbit/s, times as 300ms, 1.5s or 2min."
    })
final class SourceCommand extends MigrationCommand {

  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Mixin
  private final SettingOptions settings =
      new SettingOptions(Defaults.SESSION, Place.SOURCE, Place.LIFT);

  @Mixin private final GuestOptions guests = new GuestOptions(settings);

  @Option(
      names = "--restore",
      paramLabel = "FILE",
      description =
          "Instead of a synthetic guest, migrate one that was captured in a file, by a destination"
              + " or by QEMU's migrate \"exec:cat > FILE\"; the file is not changed")
  private @Nullable Path restore;

  @Option(
      names = GuestOptions.QEMU,
      paramLabel = "QMP-SOCKET",
      description =
          "Instead of a synthetic guest, migrate the guest of the QEMU on this machine that accepts"
              + " QMP there: a path, unix:PATH or tcp:HOST:PORT. Its RAM must be in a shared file"
              + " (docs/qemu.md)")
  private @Nullable String qemu;

  @Mixin private final OutputOptions outputs = new OutputOptions();

  SourceCommand(MigrationRunner runner, Terminal terminal, FreeMemory freeMemory) {
    super(runner, terminal, freeMemory);
  }

  @Override
  OutputOptions outputs() {
    return outputs;
  }

  @Override
  MigrationRunner.Task task() throws InputException {
    return place.isDeferred(qmp) ? deferred() : atOnce();
  }

  private MigrationRunner.Task deferred() throws InputException {
    MigrationSettings sent = migration();
    DeviceChoice device = place.device();
    return new MigrationRunner.Task(
        GuestText.running(sent.guest()),
        "waiting for migrate",
        sent.get(MigrationSetting.PAUSE_BEFORE_SWITCHOVER),
        MigrationRunner.expecting((manager, start) -> {
          DeferredStart.Asked asked = start.await();
          return new SessionPair(
              manager.startSource(
                  new SourceSettings(asked.uri().toString(), device, asked.wanted().apply(sent))),
              null);
        }),
        this::begun,
        Role.SOURCE);
  }

  private MigrationRunner.Task atOnce() throws InputException {
    MigrationUri uri = place.uri();
    if (uri.port() == 0) {
      throw new InputException(
          "URI: a source cannot use port 0; write the port on which the destination listens.");
    }
    MigrationSettings sent = migration();
    SourceSettings settings = new SourceSettings(uri.toString(), place.device(), sent);
    return new MigrationRunner.Task(
        GuestText.running(sent.guest()),
        sent.get(MigrationSetting.PAUSE_BEFORE_SWITCHOVER),
        (manager, _) -> new SessionPair(manager.startSource(settings), null),
        this::begun);
  }

  private void begun(Session session) {
    terminal.message(
        "to %s on %s: %s".formatted(session.uri(), session.device(), session.deviceReason()));
  }

  private MigrationSettings migration() throws InputException {
    return new MigrationSettings(guest(), settings.readMigration());
  }

  private GuestSettings guest() throws InputException {
    if (qemu != null) {
      guests.refuseImageWith(GuestOptions.QEMU);
      guests.refuseWith(GuestOptions.QEMU, "the guest is that of the QEMU");
      if (restore != null) {
        throw new InputException("--qemu: leave it out, or leave out --restore; give only one.");
      }
      return guests.lift(GuestSettings.parseQemu(GuestOptions.QEMU, qemu));
    }
    guests.refuseLiftWithout("--qemu QMP-SOCKET");
    Path image = guests.image();
    if (image != null && restore != null) {
      throw new InputException("--restore: leave it out, or leave out --image; give only one.");
    }
    if (image != null) {
      outputs.refuseSame("the image", image);
      return new GuestSettings.Image(image, null, UserFiles.imageLength(GuestOptions.IMAGE, image));
    }
    if (restore != null) {
      guests.refuseWith("--restore", "the captured guest has its own RAM");
      outputs.refuseSame("the captured guest", restore);
      UserFiles.inputLength("--restore", restore);
      return new GuestSettings.Restore(restore);
    }
    GuestSettings.Synthetic guest = guests.synthetic();
    freeMemory.requireOnce("--ram", guest.ramBytes());
    return guest;
  }
}
