// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code wridscope lab step}. */
@Command(
    description =
        "Runs a scenario, stands still wherever more than one thing can happen next, and does what"
            + " standard input says; ? lists what can be typed (docs/schedule.md).")
final class LabStepCommand extends TerminalCommand {
  private final StepRunner steps;

  @Parameters(
      paramLabel = "SCENARIO",
      description = "The name of a scenario, or a file that describes one (docs/scenarios.md)")
  private String scenario = "";

  @Mixin
  private final SettingOptions settings =
      new SettingOptions(Defaults.LAB, GuestSetting.SEED, MigrationSetting.COMPLETION_QUEUES);

  LabStepCommand(StepRunner steps, Terminal terminal) {
    super(terminal);
    this.steps = steps;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    return steps.run(
        InputException.checked(() -> settings.applyTo(ScenarioRunner.find(scenario), true)));
  }
}
