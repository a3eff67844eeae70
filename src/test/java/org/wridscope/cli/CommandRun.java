// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.telemetry.Metric;

/** A run of the command line, and what came of it. */
record CommandRun(int status, String out, String err, FakeSessionManager manager) {

  /** Completes and verifies at once. */
  static final FakeSessionManager.LabCourse SUCCESS =
      (settings, source, destination) -> {
        source.telemetry().metrics().set(Metric.TOTAL_TIME, 1_230_000_000);
        source.telemetry().metrics().set(Metric.RAM_PROCESSED, 8 << 20);
        source.endVerified("The guest runs at the destination.");
        destination.endVerified("The guest runs here.");
      };

  /** A window that must not be opened. */
  static final WindowOpener NO_WINDOW =
      sessions -> {
        throw new AssertionError("opened a window");
      };

  /** Runs the command line without a display, its output not a terminal. */
  static CommandRun of(FakeSessionManager.LabCourse course, String... args) {
    return of(course, NO_WINDOW, Map.of(), args);
  }

  /** Runs a command that starts one end of a migration. */
  static CommandRun ofOne(FakeSessionManager.OneEndCourse course, String... args) {
    return of(FakeSessionManager.ofOneEnd(course), NO_WINDOW, Map.of(), args);
  }

  static CommandRun of(
      FakeSessionManager.LabCourse course,
      WindowOpener window,
      Map<String, String> environment,
      String... args) {
    return of(FakeSessionManager.ofLabs(course), window, environment, args);
  }

  private static CommandRun of(
      FakeSessionManager manager,
      WindowOpener window,
      Map<String, String> environment,
      String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            true);
    int status =
        WridscopeCommand.run(
            args,
            () -> manager,
            window,
            environment,
            terminal,
            new FreeMemory(() -> 64L << 30),
            new ThisMachine());
    return new CommandRun(
        status,
        out.toString(StandardCharsets.UTF_8),
        err.toString(StandardCharsets.UTF_8),
        manager);
  }
}
