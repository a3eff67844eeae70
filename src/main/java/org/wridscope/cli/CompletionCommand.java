// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wridscope completion}: prints what a shell needs to complete commands and options. */
@Command(
    description = {
      "Prints a script with which a shell completes the commands and options of wridscope. A"
          + " package installs it; otherwise:",
      "",
      "  source <(wridscope completion bash)     # also zsh",
      "  wridscope completion fish | source"
    })
final class CompletionCommand extends TerminalCommand {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** The shells. */
  enum Shell {
    bash,
    zsh,
    fish
  }

  @Parameters(paramLabel = "bash|zsh|fish", description = "The shell")
  private Shell shell = Shell.bash;

  CompletionCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() {
    CommandLine program = spec.root().commandLine();
    terminal.result(
        switch (shell) {
          case bash -> AutoComplete.bash(program.getCommandName(), program);
          // The script of bash, for which zsh has a compatible function.
          case zsh ->
              "#compdef %s\n".formatted(program.getCommandName())
                  + AutoComplete.bash(program.getCommandName(), program);
          case fish -> FishCompletion.of(program);
        });
    return ExitCode.COMPLETED;
  }
}
