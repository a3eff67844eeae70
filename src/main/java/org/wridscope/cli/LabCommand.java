// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import org.wridscope.settings.Place;
import org.wridscope.control.MigrationSettings;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.control.SessionPair;
import org.wridscope.control.qemu.CounterGuest;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Schedule;
import org.wridscope.files.FileKind;
import org.wridscope.files.UserFiles;
import org.wridscope.wire.PacketRecorder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wridscope lab}: a migration with both ends in this process. */
@Command(
    description = {
      "Migrates a guest from a source to a destination in this process, over the embedded software"
          + " RDMA device, and verifies that its RAM is equal at both ends.",
      "",
      "The guest is a synthetic one with a workload that writes to its memory, or the content of"
          + " a file (--image). With --qemu, it is one of a real QEMU, which this command starts."
          + " Write sizes as 512MiB or 2GiB, rates as 200MiB/s or 10Gbit/s, times as 300ms, 1.5s or"
          + " 2min."
    })
final class LabCommand extends MigrationCommand {
  private static final String LIST = "--list";
  private static final String EXPLORE = "--explore";
  private static final String EXHAUSTIVE = "--exhaustive";
  private static final String FAULTS = "--faults";
  private static final String SOAK = "--soak";
  private static final String KEEP = "--keep";
  private static final String STEP = "--step";
  private static final String REAL_TIME = "--real-time";
  private static final long QEMU_RAM = 256L << 20;

  @Spec private @Nullable CommandSpec command;

  private final ScenarioRunner scenarios;
  private final StepRunner steps;
  private final ExplorationRunner exploration;
  private final ExhaustionRunner exhaustion;
  private final SoakRunner soaking;
  private final QemuLabRunner qemus;

  @Parameters(
      arity = "0..1",
      paramLabel = "SCENARIO",
      description = {
        "The name of a scenario, or a file that describes one (docs/scenarios.md). Exit status 0"
            + " means that it ended as expected."
      })
  private @Nullable String scenario;

  @Option(names = LIST, description = "List the scenarios")
  private boolean list;

  @Option(
      names = STEP,
      description =
          "With a scenario: stand still wherever more than one thing can happen next, and do what"
              + " standard input says; ? lists what can be typed (docs/schedule.md)")
  private boolean step;

  @Option(
      names = EXPLORE,
      paramLabel = "NUMBER",
      description =
          "Run this number of small migrations with random faults and orders of completions, and"
              + " check the invariants. Prints the seed of each that breaks one; --explore 1 --seed"
              + " SEED repeats it")
  private @Nullable Integer explore;

  @Option(
      names = EXHAUSTIVE,
      paramLabel = "DEPTH",
      description =
          "Run the scenario, or a migration of a single page, in all orders of its first DEPTH"
              + " choices, and check the invariants")
  private @Nullable Integer exhaustive;

  @Option(
      names = FAULTS,
      description =
          "With --exhaustive: at each of these choices also kill an end, cut the cable, lose an"
              + " acknowledgement or let time pass, once in an order")
  private boolean faults;

  @Option(
      names = SOAK,
      paramLabel = "NUMBER",
      description =
          "Run this number of such migrations, and fail if the process holds more threads, files or"
              + " memory at the end than after the tenth")
  private @Nullable Integer soak;

  @Option(
      names = GuestOptions.QEMU,
      description =
          "Start two QEMUs, and migrate a guest that counts from one to the other, by Wridscope's"
              + " engine: --ram (default: 256MiB), --dirty-rate and --working-set are the guest's")
  private boolean qemu;

  @Option(
      names = KEEP,
      description = "With --qemu: do not end the QEMUs, and print how to reach and end them")
  private boolean keep;

  @Mixin
  private final SettingOptions settings =
      new SettingOptions(Defaults.LAB, Place.LAB, Place.LIFT);

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

  @Mixin private final ReductionOption reduction = new ReductionOption();

  /** Null if no packets are to be written. */
  private @Nullable PacketRecorder packets;

  LabCommand(
      MigrationRunner runner,
      FreeMemory freeMemory,
      ScenarioRunner scenarios,
      StepRunner steps,
      ExplorationRunner exploration,
      ExhaustionRunner exhaustion,
      SoakRunner soaking,
      QemuLabRunner qemus,
      Terminal terminal) {
    super(runner, terminal, freeMemory);
    this.exploration = exploration;
    this.exhaustion = exhaustion;
    this.soaking = soaking;
    this.qemus = qemus;
    this.scenarios = scenarios;
    this.steps = steps;
  }

  @Override
  OutputOptions outputs() {
    return outputs;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    if (qemu && pcap.isGiven()) {
      throw new InputException(
          "%s: leave it out with %s.".formatted(PcapOption.NAME, GuestOptions.QEMU));
    }
    try {
      if (exhaustive != null) {
        return runAllOrders(exhaustive);
      }
      if (scenario != null) {
        return runScenario(scenario);
      }
      if (step) {
        throw new InputException(
            "%s: it needs a scenario; name one (%s shows them).".formatted(STEP, LIST));
      }
    } catch (IllegalArgumentException e) {
      throw InputException.of(e);
    }
    return pcap.during(
        outputs,
        terminal,
        recorder -> {
          packets = recorder;
          return run();
        });
  }

  private ExitCode run() throws InputException, IOException, InterruptedException {
    try {
      if (explore != null) {
        return runRandom(
            EXPLORE,
            List.of(ReductionOption.NAME, VerdictOption.NAME, OutputOptions.FORCE),
            explore,
            1,
            (runs, firstSeed, variant) ->
                exploration.run(
                    runs, firstSeed, variant, SearchOutputs.create(reduction, verdict, outputs)));
      }
      if (soak != null) {
        return runRandom(SOAK, List.of(), soak, SoakRunner.SETTLED + 1, soaking::run);
      }
      if (list) {
        refuseAllBut(List.of(), LIST);
        return scenarios.list();
      }
      if (qemu) {
        return runQemus();
      }
    } catch (IllegalArgumentException e) {
      throw InputException.of(e);
    }
    return super.execute();
  }

  private ExitCode runScenario(String nameOrFile)
      throws InputException, IOException, InterruptedException {
    if (step) {
      refuseAllBut(List.of(GuestSetting.SEED.option(), MigrationSetting.COMPLETION_QUEUES.option()), STEP);
      return steps.run(scenario(nameOrFile));
    }
    refuseAllBut(
        List.of(
            STEP,
            GuestSetting.SEED.option(),
            MigrationSetting.COMPLETION_QUEUES.option(),
            REAL_TIME,
            VerdictOption.NAME,
            RecordOption.NAME,
            PcapOption.NAME,
            OutputOptions.FORCE,
            OutputOptions.MODE,
            MetricsOption.NAME,
            MetricsOptions.STAY,
            MetricsOptions.FILE),
        nameOrFile);
    return scenarios.run(scenario(nameOrFile), realTime, outputs, pcap, verdict);
  }

  /** The scenario with what the options say. */
  private Scenario scenario(String nameOrFile) throws InputException {
    Scenario found = ScenarioRunner.find(nameOrFile);
    Long seed = settings.given(GuestSetting.SEED);
    Scenario wanted = seed == null ? found : found.withSeed(seed);
    Scenario ordered = seed == null || realTime ? wanted : wanted.with(Schedule.of(seed));
    CompletionQueues queues = settings.given(MigrationSetting.COMPLETION_QUEUES);
    return queues == null ? ordered : ordered.with(queues);
  }

  private ExitCode runAllOrders(int depth)
      throws InputException, IOException, InterruptedException {
    refuseAllBut(
        List.of(
            MigrationSetting.COMPLETION_QUEUES.option(),
            FAULTS,
            ReductionOption.NAME,
            VerdictOption.NAME,
            OutputOptions.FORCE),
        EXHAUSTIVE);
    if (depth < 1) {
      throw new InputException("%s: %d is too few; write at least 1.".formatted(EXHAUSTIVE, depth));
    }
    Scenario wanted =
        scenario == null ? Exploration.smallest("smallest") : ScenarioRunner.find(scenario);
    CompletionQueues queues = settings.given(MigrationSetting.COMPLETION_QUEUES);
    return exhaustion.run(
        queues == null ? wanted : wanted.with(queues),
        depth,
        faults,
        SearchOutputs.create(reduction, verdict, outputs));
  }

  /** Runs migrations with the seeds from the given one on. */
  @FunctionalInterface
  private interface RandomRunner {
    ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant)
        throws InputException, IOException, InterruptedException;
  }

  private ExitCode runRandom(
      String option, List<String> files, int runs, int minRuns, RandomRunner runner)
      throws InputException, IOException, InterruptedException {
    List<String> allowed =
        new ArrayList<>(List.of(GuestSetting.SEED.option(), MigrationSetting.COMPLETION_QUEUES.option(), MigrationSetting.RELEASE.option()));
    allowed.addAll(files);
    refuseAllBut(allowed, option);
    if (runs < minRuns) {
      throw new InputException(
          "%s: %d is too few; write at least %d.".formatted(option, runs, minRuns));
    }
    Long seed = settings.given(GuestSetting.SEED);
    CompletionQueues queues = settings.given(MigrationSetting.COMPLETION_QUEUES);
    ReleaseTime time = settings.given(MigrationSetting.RELEASE);
    return runner.run(
        runs,
        seed == null ? 1 : seed,
        scenario -> {
          Scenario queued = queues == null ? scenario : scenario.with(queues);
          return time == null ? queued : queued.with(time);
        });
  }

  /**
   * Refuses options that would have no effect.
   *
   * @param allowed the options that have an effect
   * @param what the scenario or option that excludes all others
   */
  private void refuseAllBut(List<String> allowed, String what) throws InputException {
    for (OptionSpec option : command().commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (!name.equals(what) && !allowed.contains(name)) {
        throw new InputException(
            "%s: leave it out with %s, which %s."
                .formatted(
                    name,
                    what,
                    allowed.isEmpty()
                        ? "cannot be combined with other options"
                        : "can be combined only with " + String.join(", ", allowed)));
      }
    }
  }

  private CommandSpec command() {
    if (command == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return command;
  }

  private ExitCode runQemus() throws InputException, IOException, InterruptedException {
    refuseRelease();
    refuseWithoutScenario(realTime, REAL_TIME);
    refuseWithoutScenario(verdict.isGiven(), VerdictOption.NAME);
    refuseSearchOptions();
    if (out != null) {
      throw new InputException("--out: leave it out with --qemu; the RAM is in the QEMUs.");
    }
    CounterGuest guest = guests.counter(QEMU_RAM);
    freeMemory.require("--ram", guest.ramBytes());
    return qemus.run(
        guest,
        keep,
        (source, destination) -> settings(guests.lift(source)).withDestination(destination),
        outputs,
        qmp);
  }

  private static void refuseWithoutScenario(boolean given, String option) throws InputException {
    if (given) {
      throw new InputException(
          "%s: it has an effect only with a scenario; name one, or leave it out."
              .formatted(option));
    }
  }

  private void refuseSearchOptions() throws InputException {
    if (faults) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(FAULTS, EXHAUSTIVE));
    }
    if (reduction.isGiven()) {
      throw new InputException(
          "%s: it has an effect only with %s or %s; give one of them, or leave it out."
              .formatted(ReductionOption.NAME, EXPLORE, EXHAUSTIVE));
    }
  }

  private void refuseRelease() throws InputException {
    if (settings.isGiven(MigrationSetting.RELEASE)) {
      throw new InputException(
          "%s: it has an effect only where acknowledgements are lost; give %s, too, or describe a scenario (docs/scenarios.md)."
              .formatted(MigrationSetting.RELEASE.option(), EXPLORE));
    }
  }

  private LabSettings settings(GuestSettings guest) throws InputException {
    return new LabSettings(new MigrationSettings(guest, settings.readMigration()));
  }

  @Override
  MigrationRunner.Task task() throws InputException, IOException {
    refuseRelease();
    refuseWithoutScenario(realTime, REAL_TIME);
    refuseWithoutScenario(verdict.isGiven(), VerdictOption.NAME);
    refuseSearchOptions();
    if (keep) {
      throw new InputException(
          "%s: it has an effect only with %s; give that, too, or leave it out."
              .formatted(KEEP, GuestOptions.QEMU));
    }
    guests.refuseLiftWithout(GuestOptions.QEMU);
    LabSettings wanted = settings(guest());
    return new MigrationRunner.Task(
        GuestText.running(wanted.guest()),
        wanted.get(MigrationSetting.TIMEOUT),
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
