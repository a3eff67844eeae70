// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Defaults;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Leftovers;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.VirtioSettings;
import org.wridscope.files.FileKind;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.telemetry.Role;
import org.wridscope.units.Parse;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wridscope destination}: receives a guest from another process or host. */
@Command(
    description = {
      "Waits for a source, another Wridscope or a LiftOptions.QEMU, and receives its guest."
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

  private static final String VERIFY = "--verify";

  private static final List<String> OF_OTHER_GUESTS =
      List.of(
          "--ram",
          "--out",
          "--capture",
          SyntheticGuestOptions.VIRTIO_FAULT,
          SyntheticGuestOptions.VIRTIO_POLICY);

  @Spec private @Nullable CommandSpec command;

  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Option(
      names = "--ram",
      paramLabel = "SIZE",
      description = "RAM of the guest, the same as at the source. Default: " + Defaults.RAM)
  private @Nullable String ram;

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
      names = LiftOptions.QEMU,
      paramLabel = "QMP-SOCKET",
      description =
          "Fill a QEMU on this machine that waits with -incoming defer, and start the guest there."
              + " It accepts QMP at this path, unix:PATH or tcp:HOST:PORT, and its RAM must be in a"
              + " shared file (docs/qemu.md)")
  private @Nullable String qemu;

  @Option(
      names = VERIFY,
      description =
          "With --qemu: compare its RAM with that of a Wridscope at the source before the guest"
              + " starts, which lengthens the downtime")
  private boolean verify;

  @Option(
      names = SyntheticGuestOptions.VIRTIO_FAULT,
      paramLabel = "NAME",
      description =
          "A deliberate fault of the synthetic guest's virtio devices at this end, named as for the"
              + " source. Default: ${DEFAULT-VALUE}")
  private String virtioFault = VirtioFault.NONE.text();

  @Option(
      names = SyntheticGuestOptions.VIRTIO_POLICY,
      paramLabel = "NAME",
      description =
          "The state of a virtqueue that is carried over when the devices at this end are stopped,"
              + " named as for the source. Default: ${DEFAULT-VALUE}")
  private String virtioPolicy = VirtioPolicy.WHOLE_STATE.text();

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      defaultValue = "0",
      description =
          "Give up if no source has connected after this time, 0 for never. Default:"
              + " ${DEFAULT-VALUE}")
  private String timeout = "0";

  @Mixin private final AllowOption allow = new AllowOption();

  @Mixin private final RefusalOption refusal = new RefusalOption();

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
    DestinationSettings settings = settings(deferred ? "" : place.uri().toString());
    Leftovers.beside(settings.guest()).forEach(terminal::message);
    if (deferred) {
      return new MigrationRunner.Task(
          GuestText.incoming(settings.guest()),
          "waiting for migrate-incoming",
          settings.timeout(),
          false,
          MigrationRunner.expecting((manager, start) ->
              new SessionPair(
                  null,
                  start.awaitOpened(uri -> manager.openDestination(settings.at(uri.toString()))))),
          this::begun,
          Role.DESTINATION);
    }
    return new MigrationRunner.Task(
        GuestText.incoming(settings.guest()),
        settings.timeout(),
        false,
        (manager, _) -> new SessionPair(null, manager.startDestination(settings)),
        this::begun);
  }

  private DestinationSettings settings(String uri) throws InputException, IOException {
    return new DestinationSettings(
        uri,
        place.device(),
        guest(),
        Parse.duration("--timeout", timeout),
        true,
        refusal.refusePinAll(),
        allow.ranges());
  }

  private boolean wasGiven(String name) {
    return command != null && command.commandLine().getParseResult().hasMatchedOption(name);
  }

  private void begun(Session session) {
    terminal.message("on %s: %s".formatted(session.device(), session.deviceReason()));
    terminal.result("listening on " + session.uri());
  }

  private GuestSettings guest() throws InputException, IOException {
    if (qemu != null) {
      for (String other : OF_OTHER_GUESTS) {
        if (wasGiven(other)) {
          throw new InputException(
              "%s: leave it out with %s; the QEMU has its own machine."
                  .formatted(other, LiftOptions.QEMU));
        }
      }
      return new GuestSettings.Land(GuestSettings.parseQemu(LiftOptions.QEMU, qemu), verify);
    }
    if (verify) {
      throw new InputException(
          "%s: leave it out; without %s, RAM is always compared."
              .formatted(VERIFY, LiftOptions.QEMU));
    }
    if (capture != null) {
      if (ram != null || out != null) {
        throw new InputException(
            "%s: leave it out with --capture; the source decides about the captured guest's RAM."
                .formatted(out == null ? "--ram" : "--out"));
      }
      outputs.refuseSame("the captured guest", capture);
      return new GuestSettings.Capture(outputs.output("--capture", capture, FileKind.STREAM));
    }
    if (out != null && ram == null) {
      throw new InputException(
          "--out: give the length of the source's file, too, with --ram SIZE.");
    }
    long ramBytes = GuestSettings.parseRam("--ram", ram == null ? Defaults.RAM : ram);
    if (out == null) {
      freeMemory.requireOnce("--ram", ramBytes);
      return GuestSettings.Synthetic.incoming(
          ramBytes,
          new VirtioVariant(
              VirtioSettings.parseFault(SyntheticGuestOptions.VIRTIO_FAULT, virtioFault),
              VirtioSettings.parsePolicy(SyntheticGuestOptions.VIRTIO_POLICY, virtioPolicy)));
    }
    outputs.refuseSame("the copy", out);
    return new GuestSettings.Image(null, outputs.output("--out", out, FileKind.RAM), ramBytes);
  }
}
