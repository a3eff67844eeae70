// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.Defaults;
import org.wridscope.settings.GuestSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Place;
import org.wridscope.settings.ReleaseTime;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that runs migrations with random faults, one for each seed. */
abstract class LabSearchCommand extends TerminalCommand {
  private static final String NUMBER = "NUMBER";

  private final int least;

  @Parameters(paramLabel = NUMBER, description = "How many migrations")
  private int number;

  @Mixin final SettingOptions settings = new SettingOptions(Defaults.LAB, Place.SEARCH);

  /**
   * @param least the smallest number of migrations
   */
  LabSearchCommand(int least, Terminal terminal) {
    super(terminal);
    this.least = least;
  }

  @Override
  final ExitCode execute() throws InputException, IOException, InterruptedException {
    if (number < least) {
      throw new InputException(
          "%s: %d is too few; write at least %d.".formatted(NUMBER, number, least));
    }
    Long seed = InputException.checked(() -> settings.given(GuestSetting.SEED));
    @Nullable CompletionQueues queues =
        InputException.checked(() -> settings.given(MigrationSetting.COMPLETION_QUEUES));
    @Nullable ReleaseTime release =
        InputException.checked(() -> settings.given(MigrationSetting.RELEASE));
    return run(
        number,
        seed == null ? GuestSetting.SEED.usual() : seed,
        scenario -> {
          Scenario queued = queues == null ? scenario : scenario.with(queues);
          return release == null ? queued : queued.with(release);
        });
  }

  /**
   * Runs them.
   *
   * @param firstSeed of the first; each has the next
   * @param variant makes of each random scenario the one that is run
   */
  abstract ExitCode run(int runs, long firstSeed, UnaryOperator<Scenario> variant)
      throws InputException, IOException, InterruptedException;
}
