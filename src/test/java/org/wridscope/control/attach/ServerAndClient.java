// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that serves one client, and its client.
 *
 * @param server the command of the server
 * @param client the command of the client
 * @param folder for what they print
 */
record ServerAndClient(List<String> server, List<String> client, Path folder) {

  /** Runs both to their ends. */
  void run() throws IOException, InterruptedException {
    Process serving = start(server, "server");
    try {
      Process asking = start(client, "client");
      try {
        // The server may not listen yet.
        while (asking.waitFor() != 0 && serving.isAlive()) {
          asking = start(client, "client");
        }
        assertThat(asking.exitValue()).isZero();
      } finally {
        asking.destroyForcibly();
      }
      assertThat(serving.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      serving.destroyForcibly();
    }
  }

  private Process start(List<String> command, String role) throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(command.getFirst() + "." + role).toFile())
        .start();
  }
}
