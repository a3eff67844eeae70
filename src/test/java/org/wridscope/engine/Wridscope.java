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

/** The program in a separate process, as a user starts it. */
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
   * @param main the main class
   */
  Wridscope(Class<?> main, String... arguments) throws IOException {
    var command =
        new ArrayList<>(
            List.of(
                // A child inherits the signals that this process ignores, as under nohup.
                "env",
                "--default-signal=INT,HUP,TERM",
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx256m",
                // As in this process; needed on an emulated processor.
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
    // For a window without a screen.
    builder.environment().put("DISPLAY", ":none");
    // Not the user's own directory.
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

  /** Waits for a destination to listen; returns its address without the scheme. */
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

  /** Waits for its end; returns its output. */
  String awaitEnd(int status) throws IOException, InterruptedException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
    }
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    String all = String.join("\n", output);
    assertThat(process.exitValue()).as(all).isEqualTo(status);
    return all;
  }

  /** Waits for its end, with any status; returns its output. */
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
