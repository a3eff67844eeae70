// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.wridscope.control.scenario.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code wridscope lab explore}. */
@Command(
    description =
        "Runs small migrations with random faults and orders of completions, and checks the"
            + " invariants. Prints the seed of each that breaks one; 'lab explore 1 --seed SEED'"
            + " repeats it.")
final class LabExploreCommand extends LabSearchCommand {
  private final ExplorationRunner exploration;

  @Mixin private final SearchOptions outputs = new SearchOptions();

  LabExploreCommand(ExplorationRunner exploration, Terminal terminal) {
    super(1, terminal);
    this.exploration = exploration;
  }

  @Override
  ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant)
      throws InputException, IOException, InterruptedException {
    return exploration.run(runs, firstSeed, variant, outputs.create());
  }
}
