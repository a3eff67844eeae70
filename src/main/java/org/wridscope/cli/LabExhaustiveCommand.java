// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.MigrationSetting;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope lab exhaustive}. */
@Command(
    description = "Runs a scenario in all orders of its first choices, and checks the invariants.")
final class LabExhaustiveCommand extends TerminalCommand {
  private static final String DEPTH = "DEPTH";

  private final ExhaustionRunner exhaustion;

  @Parameters(index = "0", paramLabel = DEPTH, description = "How many choices")
  private int depth;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SCENARIO",
      description =
          "The name of a scenario, or a file that describes one (docs/scenarios.md). Default: a"
              + " migration of a single page")
  private @Nullable String scenario;

  @Option(
      names = "--faults",
      description =
          "At each of these choices also kill an end, cut the cable, lose an acknowledgement or let"
              + " time pass, once in an order")
  private boolean faults;

  @Mixin
  private final SettingOptions settings =
      new SettingOptions(Defaults.LAB, MigrationSetting.COMPLETION_QUEUES);

  @Mixin private final SearchOptions outputs = new SearchOptions();

  LabExhaustiveCommand(ExhaustionRunner exhaustion, Terminal terminal) {
    super(terminal);
    this.exhaustion = exhaustion;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    if (depth < 1) {
      throw new InputException("%s: %d is too few; write at least 1.".formatted(DEPTH, depth));
    }
    Scenario wanted =
        scenario == null ? Exploration.smallest("smallest") : ScenarioRunner.find(scenario);
    Scenario queued = InputException.checked(() -> settings.withQueues(wanted));
    return exhaustion.run(queued, depth, faults, outputs.create());
  }
}
