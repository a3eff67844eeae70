// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.telemetry.Metric;

/** A run of the command line and its results. */
record CommandRun(int status, String out, String err, Supplier<? extends SessionManager> managers) {

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
      (_, _) -> {
        throw new AssertionError("opened a window");
      };

  private static final FreeMemory FREE_MEMORY = new FreeMemory(() -> 64L << 30);

  /** Runs the command line with fake labs, without a display and without a terminal. */
  static CommandRun of(FakeSessionManager.LabCourse course, String... args) {
    return of(course, NO_WINDOW, Map.of(), args);
  }

  /** Runs a command that starts one fake end of a migration. */
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
    return run(() -> manager, window, environment, null, false, args);
  }

  /** Runs the command line with real sessions. */
  static CommandRun real(String... args) {
    return real(LocalSessions::new, false, args);
  }

  /** Runs the command line with real sessions, and with the programs of this machine. */
  static CommandRun withPath(String... args) {
    return run(
        LocalSessions::new,
        NO_WINDOW,
        Map.of("PATH", System.getenv().getOrDefault("PATH", "")),
        null,
        false,
        args);
  }

  /**
   * Runs the command line with real sessions.
   *
   * @param redraws whether standard error is a terminal
   */
  static CommandRun real(Supplier<SessionManager> managers, boolean redraws, String... args) {
    return run(managers, NO_WINDOW, Map.of(), null, redraws, args);
  }

  /** Runs the command line with real sessions, and with standard input. */
  static CommandRun reading(InputStream in, String... args) {
    return run(LocalSessions::new, NO_WINDOW, Map.of(), in, false, args);
  }

  private static CommandRun run(
      Supplier<SessionManager> managers,
      WindowOpener window,
      Map<String, String> environment,
      @Nullable InputStream in,
      boolean redraws,
      String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            in,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            redraws,
            false);
    int status =
        WridscopeCommand.run(
            args, managers, window, environment, terminal, FREE_MEMORY, new ThisMachine());
    return new CommandRun(
        status,
        out.toString(StandardCharsets.UTF_8),
        err.toString(StandardCharsets.UTF_8),
        managers);
  }

  /** The manager of fake sessions. */
  FakeSessionManager manager() {
    return (FakeSessionManager) managers.get();
  }
}
