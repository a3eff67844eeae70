// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.wridscope.files.OutputException;
import picocli.CommandLine.Command;

/** A command whose exceptions become one line for the user and an exit code. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false)
abstract class TerminalCommand implements Callable<Integer> {
  final Terminal terminal;

  TerminalCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Runs the command. */
  abstract ExitCode execute() throws InputException, IOException, InterruptedException;

  @Override
  public final Integer call() throws InterruptedException {
    try {
      return execute().number();
    } catch (InputException e) {
      return failed(e, ExitCode.USAGE);
    } catch (OutputException e) {
      return failed(InputException.of(e), ExitCode.USAGE);
    } catch (IOException e) {
      return failed(e, ExitCode.FAILED);
    }
  }

  private int failed(Exception cause, ExitCode code) {
    terminal.problem(String.valueOf(cause.getMessage()));
    return code.number();
  }
}
