// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import picocli.CommandLine.Command;

/** {@code wridscope lab list}. */
@Command(description = "Lists the scenarios.")
final class LabListCommand extends TerminalCommand {
  private final ScenarioRunner scenarios;

  LabListCommand(ScenarioRunner scenarios, Terminal terminal) {
    super(terminal);
    this.scenarios = scenarios;
  }

  @Override
  ExitCode execute() {
    return scenarios.list();
  }
}
