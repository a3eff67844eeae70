// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.SessionPair;
import org.wridscope.files.FileKind;
import org.wridscope.files.UserFiles;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.wire.PacketRecorder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wridscope lab} and {@code lab run}: a migration with both ends in this process. */
@Command(
    description = {
      "Migrates a guest from a source to a destination in this process, over the embedded software"
          + " RDMA device, and verifies that its RAM is equal at both ends.",
      "",
      "The guest is a synthetic one with a workload that writes to its memory, or the content of"
          + " a file (--image). Write sizes as 512MiB or 2GiB, rates as 200MiB/s or 10Gbit/s, times"
          + " as 300ms, 1.5s or 2min."
    })
final class LabCommand extends MigrationCommand {
  private static final String REAL_TIME = "--real-time";

  /** What changes the run of a scenario. */
  private static final List<String> OF_SCENARIOS =
      List.of(
          GuestSetting.SEED.option(),
          MigrationSetting.COMPLETION_QUEUES.option(),
          REAL_TIME,
          VerdictOption.NAME,
          RecordOption.NAME,
          PcapOption.NAME,
          ForceOption.NAME,
          OutputOptions.MODE,
          MetricsOption.NAME,
          MetricsOptions.STAY,
          MetricsOptions.FILE);

  @Spec private @Nullable CommandSpec command;

  private final ScenarioRunner scenarios;

  @Parameters(
      arity = "0..1",
      paramLabel = "SCENARIO",
      description = {
        "The name of a scenario, or a file that describes one (docs/scenarios.md). Exit status 0"
            + " means that it ended as expected."
      })
  private @Nullable String scenario;

  @Mixin private final SettingOptions settings = new SettingOptions(Defaults.LAB, Place.LAB);

  @Mixin private final GuestOptions guests = new GuestOptions(settings);

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file to which the destination writes the RAM; required with --image")
  private @Nullable Path out;

  @Mixin private final OutputOptions outputs = new OutputOptions();

  @Mixin private final PcapOption pcap = new PcapOption();

  @Option(
      names = REAL_TIME,
      description =
          "Run a scenario in an order and a time that the machine decides, not the scenario's"
              + " schedule (docs/schedule.md)")
  private boolean realTime;

  @Mixin private final VerdictOption verdict = new VerdictOption();

  /** Null if no packets are to be written. */
  private @Nullable PacketRecorder packets;

  LabCommand(
      MigrationRunner runner, FreeMemory freeMemory, ScenarioRunner scenarios, Terminal terminal) {
    super(runner, terminal, freeMemory);
    this.scenarios = scenarios;
  }

  @Override
  OutputOptions outputs() {
    return outputs;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    if (scenario != null) {
      return runScenario(scenario);
    }
    refuseWithoutScenario(realTime, REAL_TIME);
    refuseWithoutScenario(verdict.isGiven(), VerdictOption.NAME);
    return pcap.during(
        outputs,
        terminal,
        recorder -> {
          packets = recorder;
          return super.execute();
        });
  }

  private ExitCode runScenario(String nameOrFile)
      throws InputException, IOException, InterruptedException {
    refuseWhatHasNoEffect(nameOrFile);
    try {
      return scenarios.run(
          settings.applyTo(ScenarioRunner.find(nameOrFile), !realTime),
          realTime,
          outputs,
          pcap,
          verdict);
    } catch (IllegalArgumentException e) {
      throw InputException.of(e);
    }
  }

  /** Refuses options that would have no effect on a scenario. */
  private void refuseWhatHasNoEffect(String nameOrFile) throws InputException {
    if (command == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    for (OptionSpec option : command.commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (!OF_SCENARIOS.contains(name)) {
        throw new InputException(
            "%s: leave it out with %s, which can be combined only with %s."
                .formatted(name, nameOrFile, String.join(", ", OF_SCENARIOS)));
      }
    }
  }

  private static void refuseWithoutScenario(boolean given, String option) throws InputException {
    if (given) {
      throw new InputException(
          "%s: it has an effect only with a scenario; name one, or leave it out."
              .formatted(option));
    }
  }

  @Override
  MigrationRunner.Task task() throws InputException, IOException {
    LabSettings wanted = new LabSettings(new MigrationSettings(guest(), settings.readMigration()));
    return new MigrationRunner.Task(
        GuestText.running(wanted.guest()),
        wanted.get(MigrationSetting.PAUSE_BEFORE_SWITCHOVER),
        (manager, _) -> {
          if (packets != null) {
            manager.tap(packets);
          }
          Lab lab = manager.startLab(wanted);
          return new SessionPair(lab.source(), lab.destination());
        },
        _ -> {});
  }

  private GuestSettings guest() throws InputException, IOException {
    Path image = guests.image();
    if (image == null && out == null) {
      GuestSettings.Synthetic guest = guests.synthetic();
      freeMemory.require("--ram", guest.ramBytes());
      return guest;
    }
    if (image == null) {
      throw new InputException("--out: give --image, too, the file whose content is migrated.");
    }
    if (out == null) {
      throw new InputException(
          "--image: give --out FILE, too, to which the destination writes the RAM.");
    }
    long length = UserFiles.imageLength(GuestOptions.IMAGE, image);
    UserFiles.refuseSame("--out", out, "the image", image);
    outputs.refuseSame("the image", image);
    outputs.refuseSame("the copy", out);
    return new GuestSettings.Image(image, outputs.output("--out", out, FileKind.RAM), length);
  }
}
