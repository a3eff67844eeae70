// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.wridscope.files.WholeFile;

/** Prometheus's own checker, where it is installed (Debian: prometheus). */
final class Promtool {
  private static final String NAME = "promtool";

  private Promtool() {}

  /** Skips a test where it is missing. */
  static void assumeInstalled() {
    Assumptions.assumeTrue(
        Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, NAME))),
        "promtool (Debian: prometheus) is missing");
  }

  /** Runs it; returns what it objects to, which is empty if it does not. */
  static String run(WholeFile.Content input, String... arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(NAME));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (OutputStream out = process.getOutputStream()) {
      input.writeTo(out);
    }
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    return status == 0 ? text : "status %d: %s".formatted(status, text);
  }
}
