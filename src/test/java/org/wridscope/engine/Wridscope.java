// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.ChildJvm;
import org.wridscope.Main;
import org.wridscope.Signals;
import org.wridscope.cli.CommandInThread;

/** The program in a separate process, as a user starts it, or one of its commands on a thread. */
final class Wridscope implements AutoCloseable {
  private static final Pattern ROUND = Pattern.compile("\\bround \\d");
  private static final Pattern LISTENING = Pattern.compile("listening on (rdma:\\S+)");
  private static final long PATIENCE_SECONDS = 120;

  private final @Nullable Process process;
  private final @Nullable CommandInThread command;
  private final BufferedReader lines;
  private final List<String> output = new ArrayList<>();

  Wridscope(String... arguments) throws IOException {
    this(Main.class, arguments);
  }

  private Wridscope(CommandInThread command) {
    process = null;
    this.command = command;
    lines = command.output();
  }

  /** A command on a thread of this process. */
  static Wridscope inThread(String... arguments) throws IOException {
    return new Wridscope(new CommandInThread(arguments));
  }

  /**
   * @param main the main class
   */
  Wridscope(Class<?> main, String... arguments) throws IOException {
    this(Map.of(), main, arguments);
  }

  /**
   * @param environment what differs from that of this process
   */
  Wridscope(Map<String, String> environment, Class<?> main, String... arguments)
      throws IOException {
    var words =
        new ArrayList<>(
            List.of(
                // A child inherits the signals that this process ignores, as under nohup.
                "env", "--default-signal=INT,HUP,TERM"));
    words.addAll(ChildJvm.command(main, "-Xmx256m"));
    words.addAll(List.of(arguments));
    var builder = new ProcessBuilder(words).redirectErrorStream(true);
    // For a window without a screen.
    builder.environment().put("DISPLAY", ":none");
    // Not the user's own directories.
    for (String folder : List.of("XDG_STATE_HOME", "XDG_CONFIG_HOME")) {
      builder
          .environment()
          .put(folder, Path.of("target", "test-state").toAbsolutePath().toString());
    }
    builder.environment().putAll(environment);
    Process started = builder.start();
    process = started;
    this.command = null;
    lines = started.inputReader(StandardCharsets.UTF_8);
  }

  /** Sends it a signal. */
  void signal(String name) throws IOException, InterruptedException {
    assertThat(Signals.send(name, process().pid())).isTrue();
  }

  boolean isAlive() {
    return process().isAlive();
  }

  /** The processes that it has started. */
  List<ProcessHandle> children() {
    return process().children().toList();
  }

  /** Writes a line to its standard input. */
  void say(String line) throws IOException {
    BufferedWriter input = process().outputWriter(StandardCharsets.UTF_8);
    input.write(line);
    input.newLine();
    input.flush();
  }

  /** Waits for a line with this text. */
  void awaitLine(String text) throws IOException {
    awaitLine(Pattern.compile(Pattern.quote(text)));
  }

  /** Waits for a line with such a text; returns what matches. */
  private Matcher awaitLine(Pattern pattern) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
      Matcher found = pattern.matcher(line);
      if (found.find()) {
        return found;
      }
    }
    throw new AssertionError("it did not say '" + pattern + "': " + output);
  }

  /** Waits until it sends or receives RAM, in any round: a fast one may not have been printed. */
  void awaitRound() throws IOException {
    var _ = awaitLine(ROUND);
  }

  /** Waits for a destination to listen; returns its address without the scheme. */
  String awaitListening() throws IOException {
    return awaitLine(LISTENING).group(1);
  }

  /** Waits for its end; returns its output. */
  String awaitEnd(int status) throws Exception {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.add(line);
    }
    String all = String.join("\n", output);
    assertThat(exitStatus()).as(all).isEqualTo(status);
    return all;
  }

  private int exitStatus() throws Exception {
    if (command != null) {
      return command.await(PATIENCE_SECONDS);
    }
    assertThat(process().waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process().exitValue();
  }

  private Process process() {
    return Objects.requireNonNull(process, "it is not a process");
  }

  /** Waits for its end, with any status; returns its output. */
  String awaitAnyEnd() throws IOException {
    try (BufferedReader rest = lines) {
      return rest.readAllAsString();
    }
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
    if (command != null) {
      command.close();
    }
  }
}
