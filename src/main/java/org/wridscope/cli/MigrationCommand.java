// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.concurrent.Callable;

/** A command that starts a migration or one end of it. */
abstract class MigrationCommand implements Callable<Integer> {
  private final MigrationRunner runner;
  final Terminal terminal;
  final FreeMemory freeMemory;

  MigrationCommand(MigrationRunner runner, Terminal terminal, FreeMemory freeMemory) {
    this.runner = runner;
    this.terminal = terminal;
    this.freeMemory = freeMemory;
  }

  @Override
  public Integer call() throws InterruptedException {
    return runner.run(this::task, outputs());
  }

  abstract OutputOptions outputs();

  /**
   * The migration that the options describe.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  abstract MigrationRunner.Task task() throws InputException, IOException;
}
