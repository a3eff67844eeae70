// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import picocli.CommandLine.Mixin;

/** A command that starts a migration or one end of it. */
abstract class MigrationCommand extends TerminalCommand {
  private final MigrationRunner runner;
  final FreeMemory freeMemory;

  @Mixin final QmpOption qmp = new QmpOption();

  MigrationCommand(MigrationRunner runner, Terminal terminal, FreeMemory freeMemory) {
    super(terminal);
    this.runner = runner;
    this.freeMemory = freeMemory;
  }

  @Override
  ExitCode execute() throws InputException, IOException, InterruptedException {
    return runner.run(this::task, outputs(), qmp);
  }

  abstract OutputOptions outputs();

  /**
   * The migration that the options describe.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  abstract MigrationRunner.Task task() throws InputException, IOException;
}
