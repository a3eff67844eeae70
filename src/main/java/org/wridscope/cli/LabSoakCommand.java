// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.wridscope.control.scenario.Scenario;
import picocli.CommandLine.Command;

/** {@code wridscope lab soak}. */
@Command(
    description =
        "Runs small migrations with random faults in one process, and fails if it holds more"
            + " threads, files or memory at the end than after the tenth.")
final class LabSoakCommand extends LabSearchCommand {
  private final SoakRunner soaking;

  LabSoakCommand(SoakRunner soaking, Terminal terminal) {
    super(SoakRunner.SETTLED + 1, terminal);
    this.soaking = soaking;
  }

  @Override
  ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant)
      throws IOException, InterruptedException {
    return soaking.run(runs, firstSeed, variant);
  }
}
