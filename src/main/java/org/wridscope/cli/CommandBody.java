// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import org.wridscope.files.OutputException;

/** The body of a command, whose exceptions become one line for the user and an exit code. */
@FunctionalInterface
interface CommandBody {
  ExitCode run() throws InputException, IOException, InterruptedException;

  /**
   * Runs a body.
   *
   * @return the status with which the process exits
   */
  static int run(Terminal terminal, CommandBody body) throws InterruptedException {
    try {
      return body.run().number();
    } catch (InputException e) {
      return failed(terminal, e, ExitCode.USAGE);
    } catch (OutputException e) {
      return failed(terminal, InputException.of(e), ExitCode.USAGE);
    } catch (IOException e) {
      return failed(terminal, e, ExitCode.FAILED);
    }
  }

  private static int failed(Terminal terminal, Exception cause, ExitCode code) {
    terminal.problem(String.valueOf(cause.getMessage()));
    return code.number();
  }
}
