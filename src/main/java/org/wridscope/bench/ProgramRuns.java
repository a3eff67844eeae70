// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.wridscope.process.TimeLimit;

/** Runs this program in processes of its own, one at a time, with nothing remembered. */
final class ProgramRuns {
  private static final long LIMIT_SECONDS = 120;

  private final BenchmarkRounds rounds;
  private final Path home;
  private final boolean screen;
  private volatile @Nullable Process running;

  /**
   * @param home keeps what a run remembers
   * @param screen whether there is one for the window; without one, the window is drawn in memory
   */
  ProgramRuns(BenchmarkRounds rounds, Path home, boolean screen) {
    this.rounds = rounds;
    this.home = home;
    this.screen = screen;
  }

  /** A launch of a window. */
  ProgramLaunch shown(ProgramLaunch launch) {
    return screen ? launch : launch.with(List.of("-Dglass.platform=Headless", "-Dprism.order=sw"));
  }

  /**
   * Runs a program to its end.
   *
   * @param lines receives each line that it prints, when it does
   * @return what it printed
   * @throws IOException if it does not succeed
   */
  String run(List<String> command, Consumer<String> lines)
      throws IOException, InterruptedException {
    return run(command, lines, LIMIT_SECONDS);
  }

  /**
   * Runs a program to its end.
   *
   * @param lines receives each line that it prints, when it does
   * @param seconds after which it is ended
   * @return what it printed
   * @throws IOException if it does not succeed
   */
  String run(List<String> command, Consumer<String> lines, long seconds)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    Map<String, String> environment = builder.environment();
    environment.put("XDG_CONFIG_HOME", home.toString());
    environment.put("XDG_STATE_HOME", home.toString());
    if (!screen) {
      // Without a name of a display, the command line does not open a window.
      environment.put("DISPLAY", "none");
    }
    var said = new StringBuilder();
    Process process = builder.start();
    running = process;
    var time = new TimeLimit(process, Duration.ofSeconds(seconds));
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.accept(line);
        said.append(line).append('\n');
      }
      int status = process.waitFor();
      rounds.requireNotInterrupted();
      if (status != 0) {
        throw new IOException(
            "%s ended with the exit status %d: %s"
                .formatted(String.join(" ", command), status, said.toString().strip()));
      }
      return said.toString();
    } catch (IOException e) {
      // A process that is ended closes what is read of it.
      rounds.requireNotInterrupted();
      throw time.hasPassed()
          ? new IOException(
              "%s took longer than %d s and was ended; it had printed: %s"
                  .formatted(String.join(" ", command), seconds, said.toString().strip()),
              e)
          : e;
    } finally {
      process.destroyForcibly();
    }
  }

  /** Ends the process that runs now; from any thread. */
  void stop() {
    Process process = running;
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
