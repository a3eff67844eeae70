// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.slf4j.LoggerFactory;
import org.wridscope.TimeLimit;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.engine.HostilePeer;
import org.wridscope.protocol.HostileText;

/** Control characters in messages of a peer never reach a terminal, a log or a file. */
@ResourceLock(Resources.SYSTEM_ERR)
final class HostilePeerTest {
  /** Sets a title, clears the screen, begins a line, reverses text, and has a C1 control. */
  private static final String REASON =
      "no \u001b]0;owned\u0007\u001b[2J\r\nwridscope: all is well\t\u0085\u009b31m"
          + "\u202edellac\u202c \u2066x\u2069\u200f end";

  @TempDir Path directory;

  private final Logger logger = (Logger) LoggerFactory.getLogger("org.wridscope");
  private final @Nullable Level level = logger.getLevel();
  private final PrintStream stderr = System.err;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** The log must be safe at every level. */
  @BeforeEach
  void logEverything() {
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    logger.setLevel(Level.TRACE);
  }

  @AfterEach
  void logAsBefore() {
    logger.setLevel(level);
    System.setErr(stderr);
  }

  private FutureTask<Integer> start(String... words) {
    var args = new ArrayList<>(Arrays.asList(words));
    for (String file : List.of("--report=r.json", "--export=e.html", "--export=e.csv")) {
      int name = file.indexOf('=') + 1;
      args.add(file.substring(0, name) + directory.resolve(file.substring(name)));
    }
    args.add("--record=" + directory.resolve("run.wrs"));
    var terminal = new Terminal(null, print(out), print(err), false, false, false);
    var run =
        new FutureTask<>(() ->
            WridscopeCommand.run(
                args.toArray(String[]::new),
                LocalSessions::new,
                CommandRun.NO_WINDOW,
                Map.of(),
                terminal,
                FreeMemory.HERE,
                new ThisMachine()));
    Thread.ofPlatform().name("command").daemon().start(run);
    return run;
  }

  private static PrintStream print(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private FutureTask<Integer> startSource(HostilePeer peer) {
    return start("source", "rdma:127.0.0.1:" + peer.port(), "--device=soft0", "--ram=4MiB");
  }

  private int awaitPort() throws InterruptedException {
    Pattern said = Pattern.compile("listening on rdma:127\\.0\\.0\\.1:(\\d+)");
    var limit = new TimeLimit();
    do {
      Matcher matcher = said.matcher(out.toString(StandardCharsets.UTF_8));
      if (matcher.find()) {
        return Integer.parseInt(matcher.group(1));
      }
    } while (limit.lasts());
    throw new AssertionError("it does not listen: " + err.toString(StandardCharsets.UTF_8));
  }

  private void assertSafe(FutureTask<Integer> run, String expected) throws Exception {
    assertThat(run.get(1, TimeUnit.MINUTES))
        .isIn(ExitCode.FAILED.number(), ExitCode.LIMIT.number());
    String report = Files.readString(directory.resolve("r.json"));
    String terminal = out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    for (String text :
        List.of(
            terminal,
            log.toString(StandardCharsets.UTF_8),
            report,
            Files.readString(directory.resolve("e.html")),
            Files.readString(directory.resolve("e.csv")))) {
      assertThat(HostileText.unsafe(text, true)).as(text).isEmpty();
      assertThat(text.lines()).noneMatch(line -> line.startsWith("wridscope: all is well"));
    }
    // The whole sentence is on the terminal, possibly wrapped, and in the report.
    assertThat(terminal.replaceAll("\\s+", " ")).contains(expected);
    assertThat(report.replace("\\\\", "\\")).contains(expected);
    CommandRun replay = CommandRun.of(CommandRun.SUCCESS, "replay", recording().toString());
    assertThat(HostileText.unsafe(replay.out() + replay.err(), true)).isEmpty();
    assertThat(replay.out().replaceAll("\\s+", " ")).contains(expected);
  }

  private Path recording() throws IOException {
    try (var files = Files.list(directory)) {
      return Objects.requireNonNull(
          files.filter(file -> file.toString().endsWith(".wrs")).findFirst().orElse(null));
    }
  }

  @Test
  void aDestinationsError_isLegible() throws Exception {
    try (var peer = new HostilePeer()) {
      FutureTask<Integer> run = startSource(peer);
      peer.error(REASON);
      assertSafe(run, "no \\x1b]0;owned\\x07\\x1b[2J\\r\\nwridscope: all is well\\t\\x85\\x9b31m");
    }
  }

  @Test
  void aRejection_isLegible() throws Exception {
    try (var peer = new HostilePeer()) {
      FutureTask<Integer> run = startSource(peer);
      // Rejections are read as ISO 8859-1, which has no bidirectional overrides.
      peer.reject(REASON.getBytes(StandardCharsets.ISO_8859_1));
      assertSafe(run, "no \\x1b]0;owned\\x07\\x1b[2J\\r\\nwridscope: all is well\\t\\x85\\x9b31m");
    }
  }

  @Test
  void aSourcesError_isLegible() throws Exception {
    FutureTask<Integer> run =
        start("destination", "rdma:127.0.0.1:0", "--device=soft0", "--ram=4MiB", "--timeout=3s");
    int port = awaitPort();
    try (var peer = new HostilePeer()) {
      peer.error(port, REASON);
    }
    // It is turned away, and the destination waits on for its source.
    assertSafe(run, "turned away");
    assertThat(log.toString(StandardCharsets.UTF_8))
        .contains("<U+202E>dellac<U+202C> <U+2066>x<U+2069><U+200F> end");
  }
}
