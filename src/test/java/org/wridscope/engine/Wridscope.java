// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.ClassArchive;
import org.wridscope.Main;

/** The program in a process of its own, as its user starts it. */
final class Wridscope implements AutoCloseable {
  private static final Pattern LISTENING = Pattern.compile("listening on (rdma:\\S+)");
  private static final long PATIENCE_SECONDS = 120;

  private final Process process;
  private final BufferedReader lines;
  private final List<String> output = new ArrayList<>();

  Wridscope(String... arguments) throws IOException {
    this(Main.class, arguments);
  }

  /**
   * @param main what starts the program
   */
  Wridscope(Class<?> main, String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx256m",
                // As in this process: an emulated processor needs it.
                "-XX:TieredStopAtLevel=1"));
    command.addAll(ClassArchive.options());
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    // For a window that needs no screen.
    builder.environment().put("DISPLAY", ":none");
    // The user's own is none of a test's business.
    builder
        .environment()
        .put("XDG_STATE_HOME", Path.of("target", "test-state").toAbsolutePath().toString());
    process = builder.start();
    lines = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Sends it a signal, as kill(1) does. */
  void signal(String name) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor())
        .isZero();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for a line with this text. */
  void awaitLine(String text) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
      if (line.contains(text)) {
        return;
      }
    }
    throw new AssertionError("it did not say '" + text + "': " + output);
  }

  /** Waits for a destination to listen. Returns where, without the scheme. */
  String awaitListening() throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
      Matcher listening = LISTENING.matcher(line);
      if (listening.find()) {
        return listening.group(1);
      }
    }
    throw new AssertionError("it did not listen: " + output);
  }

  /** Waits for its end. Returns all that it printed. */
  String awaitEnd(int status) throws IOException, InterruptedException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
    }
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    String all = String.join("\n", output);
    assertThat(process.exitValue()).as(all).isEqualTo(status);
    return all;
  }

  /** Waits for the end of one whose status is of no interest. Returns all that it printed. */
  String awaitAnyEnd() throws IOException {
    try (BufferedReader rest = lines) {
      return rest.readAllAsString();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
