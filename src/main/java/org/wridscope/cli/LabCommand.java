// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Parse;
import org.wridscope.control.UserFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope lab}: a migration with both ends in this process, shown in the terminal. */
@Command(
    name = "lab",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Migrates a guest from a source to a destination in this process, over the embedded software"
          + " RDMA device, and verifies that the RAM arrived as it was.",
      "",
      "The guest is a synthetic one with a workload that writes to its memory, or the content of"
          + " a file (--image). Sizes: 512MiB, 2GiB, 4096. Rates: 200MiB/s, 10Gbit/s. Times:"
          + " 300ms, 1.5s, 2min."
    })
final class LabCommand implements Callable<Integer> {
  static final String DEFAULT_RAM = Defaults.RAM;

  private final MigrationRunner runner;
  private final FreeMemory freeMemory;

  @Mixin private final SyntheticGuestOptions synthetic = new SyntheticGuestOptions(Defaults.LAB);

  @Option(
      names = "--image",
      paramLabel = "FILE",
      description = "A file whose content is the guest's RAM instead; it is not changed")
  private @Nullable Path image;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file that gets what arrived; needed with --image")
  private @Nullable Path out;

  @Mixin private final MigrationOptions migration = new MigrationOptions(Defaults.LAB);

  @Option(
      names = "--cq",
      paramLabel = "shared|split",
      description = {
        "Whether send and receive queue complete in one queue, as in QEMU before 6.2, where a wait"
            + " throws away completions that it does not wait for. Default: split"
      })
  private String completionQueues = "split";

  @Mixin private final ReportOption report = new ReportOption();

  LabCommand(MigrationRunner runner, FreeMemory freeMemory) {
    this.runner = runner;
    this.freeMemory = freeMemory;
  }

  @Override
  public Integer call() throws InterruptedException {
    return runner.run(this::task, report);
  }

  private MigrationRunner.Task task() throws InputException {
    LabSettings settings =
        new LabSettings(
            guest(),
            migration.pinAll(),
            migration.bandwidth(),
            migration.downtimeLimit(),
            migration.timeout(),
            true,
            migration.unregister(),
            Parse.completionQueues("--cq", completionQueues));
    return new MigrationRunner.Task(
        GuestText.running(settings.guest()),
        settings.timeout(),
        manager -> {
          Lab lab = manager.startLab(settings);
          return new MigrationRunner.Started(lab.source(), lab.destination());
        },
        _ -> {});
  }

  private GuestSettings guest() throws InputException {
    if (image == null && out == null) {
      GuestSettings.Synthetic guest = synthetic.settings();
      freeMemory.require("--ram", guest.ramBytes());
      return guest;
    }
    if (image == null) {
      throw new InputException("--out: only with --image, the file whose content is migrated.");
    }
    if (out == null) {
      throw new InputException("--image: name the file that gets what arrived, with --out FILE.");
    }
    synthetic.refuseWith("--image", "its RAM is the file, and nothing writes to it");
    long length = UserFiles.imageLength("--image", image);
    ReportOption.refuseSame("--out", out, "the image", image);
    report.refuseSame("the image", image);
    report.refuseSame("the copy", out);
    return new GuestSettings.Image(image, out, length);
  }
}
