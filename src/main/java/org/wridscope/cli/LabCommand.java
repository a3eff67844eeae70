// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.CompletionQueues;
import org.wridscope.control.Defaults;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.Parse;
import org.wridscope.control.UserFiles;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.files.FileKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
          + " a file (--image). Sizes: 512MiB, 2GiB. Rates: 200MiB/s, 10Gbit/s. Times:"
          + " 300ms, 1.5s, 2min."
    })
final class LabCommand implements Callable<Integer> {
  static final String DEFAULT_RAM = Defaults.RAM;
  private static final String LIST = "--list";
  private static final String EXPLORE = "--explore";
  private static final String SOAK = "--soak";
  private static final String COMPLETION_QUEUES = "--cq";

  @Spec private @Nullable CommandSpec command;

  private final MigrationRunner runner;
  private final FreeMemory freeMemory;
  private final ScenarioRunner scenarios;
  private final ExplorationRunner exploration;
  private final SoakRunner soaking;
  private final Terminal terminal;

  @Parameters(
      arity = "0..1",
      paramLabel = "SCENARIO",
      description = {
        "A scenario by its name, or a file with one (docs/scenarios.md); it says everything itself."
            + " Exit status 0 means that it came out as expected."
      })
  private @Nullable String scenario;

  @Option(names = LIST, description = "Name the scenarios")
  private boolean list;

  @Option(
      names = EXPLORE,
      paramLabel = "NUMBER",
      description =
          "Run so many small migrations with random legal orders and faults, and check what must"
              + " always hold. Tells the seed of each that breaks it; --explore 1 --seed repeats"
              + " one")
  private @Nullable Integer explore;

  @Option(
      names = SOAK,
      paramLabel = "NUMBER",
      description =
          "Run so many of those in this one process, and fail when it holds more threads, files or"
              + " memory in the end than after the tenth")
  private @Nullable Integer soak;

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
      names = COMPLETION_QUEUES,
      paramLabel = "shared|split",
      description = {
        "Whether send and receive queue complete in one queue, as in QEMU before 6.2, where a wait"
            + " throws away completions that it does not wait for. Default: split"
      })
  private @Nullable String completionQueues;

  @Mixin private final RefusalOption refusal = new RefusalOption();

  @Mixin private final OutputOptions outputs = new OutputOptions();

  LabCommand(
      MigrationRunner runner,
      FreeMemory freeMemory,
      ScenarioRunner scenarios,
      ExplorationRunner exploration,
      SoakRunner soaking,
      Terminal terminal) {
    this.exploration = exploration;
    this.soaking = soaking;
    this.runner = runner;
    this.freeMemory = freeMemory;
    this.scenarios = scenarios;
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      if (scenario != null) {
        return runScenario(scenario);
      }
      if (explore != null) {
        return explore(explore);
      }
      if (soak != null) {
        return soak(soak);
      }
      if (list) {
        refuseAllBut(List.of(), LIST);
        return scenarios.list();
      }
    } catch (InputException | IllegalArgumentException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.USAGE.number();
    }
    return runner.run(this::task, outputs);
  }

  private int runScenario(String nameOrFile) throws InputException, InterruptedException {
    refuseAllBut(
        List.of(
            SyntheticGuestOptions.SEED,
            COMPLETION_QUEUES,
            RecordOption.NAME,
            OutputOptions.FORCE,
            OutputOptions.MODE),
        nameOrFile);
    Scenario found = ScenarioRunner.find(nameOrFile);
    Long seed = synthetic.givenSeed();
    Scenario wanted = seed == null ? found : found.withSeed(seed);
    CompletionQueues queues = queues();
    return scenarios.run(queues == null ? wanted : wanted.with(queues), outputs);
  }

  private int explore(int runs) throws InputException, InterruptedException {
    refuseAllBut(List.of(SyntheticGuestOptions.SEED, COMPLETION_QUEUES), EXPLORE);
    if (runs < 1) {
      throw new InputException("%s: %d runs are too few.".formatted(EXPLORE, runs));
    }
    Long seed = synthetic.givenSeed();
    CompletionQueues queues = queues();
    return exploration.run(
        runs, seed == null ? 1 : seed, queues == null ? CompletionQueues.SPLIT : queues);
  }

  private int soak(int runs) throws InputException, InterruptedException {
    refuseAllBut(List.of(SyntheticGuestOptions.SEED, COMPLETION_QUEUES), SOAK);
    if (runs <= SoakRunner.SETTLED) {
      throw new InputException(
          "%s: %d runs are too few; what the last ones hold is compared with the tenth."
              .formatted(SOAK, runs));
    }
    Long seed = synthetic.givenSeed();
    CompletionQueues queues = queues();
    return soaking.run(
        runs, seed == null ? 1 : seed, queues == null ? CompletionQueues.SPLIT : queues);
  }

  /**
   * Refuses the options that were given and would do nothing.
   *
   * @param heeded those that do something
   * @param what decides about all else
   */
  private void refuseAllBut(List<String> heeded, String what) throws InputException {
    for (OptionSpec option : command().commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      if (!name.equals(what) && !heeded.contains(name)) {
        throw new InputException(
            "%s: leave it out with %s, which %s."
                .formatted(
                    name,
                    what,
                    heeded.isEmpty()
                        ? "stands alone"
                        : "takes no option but " + String.join(", ", heeded)));
      }
    }
  }

  private CommandSpec command() {
    if (command == null) {
      throw new IllegalStateException("the command line was not parsed");
    }
    return command;
  }

  private MigrationRunner.Task task() throws InputException, IOException {
    CompletionQueues queues = queues();
    LabSettings settings =
        new LabSettings(
            guest(),
            migration.pinAll(),
            migration.bandwidth(),
            migration.downtimeLimit(),
            migration.timeout(),
            true,
            migration.unregister(),
            queues == null ? CompletionQueues.SPLIT : queues,
            refusal.refusePinAll());
    return new MigrationRunner.Task(
        GuestText.running(settings.guest()),
        settings.timeout(),
        manager -> {
          Lab lab = manager.startLab(settings);
          return new MigrationRunner.Started(lab.source(), lab.destination());
        },
        _ -> {});
  }

  /** What --cq says, null when it was left out. */
  private @Nullable CompletionQueues queues() {
    return completionQueues == null
        ? null
        : Parse.completionQueues(COMPLETION_QUEUES, completionQueues);
  }

  private GuestSettings guest() throws InputException, IOException {
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
    UserFiles.refuseSame("--out", out, "the image", image);
    outputs.refuseSame("the image", image);
    outputs.refuseSame("the copy", out);
    return new GuestSettings.Image(image, outputs.output("--out", out, FileKind.RAM), length);
  }
}
