// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationUri;
import org.wridscope.control.Session;
import org.wridscope.control.SourceSettings;
import org.wridscope.control.UserFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope source}: migrates a guest away, to another process or host. */
@Command(
    name = "source",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Migrates a guest to a destination that listens already: another Wridscope, or a QEMU with"
          + " -incoming rdma:HOST:PORT.",
      "",
      "The guest is a synthetic one with a workload that writes to its memory, the content of a"
          + " file (--image), or one that was captured in a file (--restore). Sizes: 512MiB, 2GiB."
          + " Rates: 200MiB/s, 10Gbit/s. Times: 300ms, 1.5s, 2min."
    })
final class SourceCommand implements Callable<Integer> {
  private final MigrationRunner runner;
  private final Terminal terminal;
  private final FreeMemory freeMemory;

  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Mixin
  private final SyntheticGuestOptions synthetic = new SyntheticGuestOptions(Defaults.SESSION);

  @Option(
      names = "--image",
      paramLabel = "FILE",
      description = "A file whose content is the guest's RAM instead; it is not changed")
  private @Nullable Path image;

  @Option(
      names = "--restore",
      paramLabel = "FILE",
      description =
          "A guest that was captured in a file instead, by a destination or by QEMU's migrate"
              + " \"exec:cat > FILE\"; it is not changed")
  private @Nullable Path restore;

  @Mixin private final MigrationOptions migration = new MigrationOptions(Defaults.SESSION);

  @Mixin private final OutputOptions outputs = new OutputOptions();

  SourceCommand(MigrationRunner runner, Terminal terminal, FreeMemory freeMemory) {
    this.runner = runner;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  @Override
  public Integer call() throws InterruptedException {
    return runner.run(this::task, outputs);
  }

  private MigrationRunner.Task task() throws InputException {
    MigrationUri uri = place.uri();
    if (uri.port() == 0) {
      throw new InputException(
          "URI: only a destination can take any free port; write the port that it listens on.");
    }
    SourceSettings settings =
        new SourceSettings(
            uri.toString(),
            place.device(),
            guest(),
            migration.pinAll(),
            migration.bandwidth(),
            migration.downtimeLimit(),
            migration.timeout(),
            true,
            migration.unregister());
    return new MigrationRunner.Task(
        GuestText.running(settings.guest()),
        settings.timeout(),
        manager -> new MigrationRunner.Started(manager.startSource(settings), null),
        this::begun);
  }

  private void begun(Session session) {
    terminal.message(
        "to %s on %s: %s".formatted(session.uri(), session.device(), session.deviceReason()));
  }

  private GuestSettings guest() throws InputException {
    if (image != null && restore != null) {
      throw new InputException(
          "--restore: leave it out with --image; a guest is one or the other.");
    }
    if (image != null) {
      synthetic.refuseWith("--image", "its RAM is the file, and nothing writes to it");
      outputs.refuseSame("the image", image);
      return new GuestSettings.Image(image, null, UserFiles.imageLength("--image", image));
    }
    if (restore != null) {
      synthetic.refuseWith("--restore", "the file says what its RAM is");
      outputs.refuseSame("the captured guest", restore);
      UserFiles.inputLength("--restore", restore);
      return new GuestSettings.Restore(restore);
    }
    GuestSettings.Synthetic guest = synthetic.settings();
    freeMemory.requireOnce("--ram", guest.ramBytes());
    return guest;
  }
}
