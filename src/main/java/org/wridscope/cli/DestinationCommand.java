// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Leftovers;
import org.wridscope.control.Parse;
import org.wridscope.control.Session;
import org.wridscope.files.FileKind;
import org.wridscope.guest.virtio.VirtioFault;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope destination}: waits for a guest of another process or host, and takes it. */
@Command(
    name = "destination",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Listens for a source, another Wridscope or a QEMU, takes its guest, and verifies it:"
          + " with a QEMU as the source that is not possible. Writes \"listening on"
          + " rdma:HOST:PORT\" once it does; port 0 takes a free one. Without a host it is reached"
          + " from this machine only; host 0.0.0.0 listens on all addresses.",
      "",
      "A synthetic guest has all but the size of its RAM from the source, and ends with this"
          + " command. A file's RAM is written to a file (--out), and any guest can be captured in"
          + " one (--capture)."
    })
final class DestinationCommand implements Callable<Integer> {
  private final MigrationRunner runner;
  private final Terminal terminal;
  private final FreeMemory freeMemory;

  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the guest to come, as much as at the source. Default: " + Defaults.RAM)
  private @Nullable String ram;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file that gets the RAM of a source's --image; needs --ram")
  private @Nullable Path out;

  @Option(
      names = "--capture",
      paramLabel = "FILE",
      description =
          "Keep whatever guest comes in a file, from which qemu-system-x86_64 -incoming \"exec:cat"
              + " FILE\" or a source's --restore starts it again")
  private @Nullable Path capture;

  @Option(
      names = SyntheticGuestOptions.VIRTIO_FAULT,
      paramLabel = "NAME",
      description =
          "A mistake that the virtio devices of a synthetic guest make here on purpose, named as"
              + " for the source. Default: ${DEFAULT-VALUE}")
  private String virtioFault = VirtioFault.NONE.text();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "0",
      description =
          "Give up when no source has connected after this time, 0 for never. Default:"
              + " ${DEFAULT-VALUE}")
  private String timeout = "0";

  @Mixin private final AllowOption allow = new AllowOption();

  @Mixin private final RefusalOption refusal = new RefusalOption();

  @Mixin private final OutputOptions outputs = new OutputOptions();

  DestinationCommand(MigrationRunner runner, Terminal terminal, FreeMemory freeMemory) {
    this.runner = runner;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  @Override
  public Integer call() throws InterruptedException {
    return runner.run(this::task, outputs);
  }

  private MigrationRunner.Task task() throws InputException, IOException {
    DestinationSettings settings =
        new DestinationSettings(
            place.uri().toString(),
            place.device(),
            guest(),
            Parse.duration("--timeout", timeout),
            true,
            refusal.refusePinAll(),
            allow.ranges());
    Leftovers.beside(settings.guest()).forEach(terminal::message);
    return new MigrationRunner.Task(
        GuestText.incoming(settings.guest()),
        settings.timeout(),
        manager -> new MigrationRunner.Started(manager.startDestination(settings), null),
        this::begun);
  }

  private void begun(Session session) {
    terminal.message("on %s: %s".formatted(session.device(), session.deviceReason()));
    terminal.result("listening on " + session.uri());
  }

  private GuestSettings guest() throws InputException, IOException {
    if (capture != null) {
      if (ram != null || out != null) {
        throw new InputException(
            "%s: leave it out with --capture; a captured guest has its RAM from the source."
                .formatted(out == null ? "--ram" : "--out"));
      }
      outputs.refuseSame("the captured guest", capture);
      return new GuestSettings.Capture(outputs.output("--capture", capture, FileKind.STREAM));
    }
    if (out != null && ram == null) {
      throw new InputException("--out: say how long the source's file is, with --ram SIZE.");
    }
    long ramBytes = Parse.ram("--ram", ram == null ? Defaults.RAM : ram);
    freeMemory.requireOnce("--ram", ramBytes);
    if (out == null) {
      return GuestSettings.Synthetic.incoming(
          ramBytes, Parse.virtioFault(SyntheticGuestOptions.VIRTIO_FAULT, virtioFault));
    }
    outputs.refuseSame("the copy", out);
    return new GuestSettings.Image(null, outputs.output("--out", out, FileKind.RAM), ramBytes);
  }
}
