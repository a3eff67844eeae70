// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.TimeLimit;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.qmp.QemuMonitor;
import org.wridscope.qmp.Qmp;
import org.wridscope.qmp.QmpAddress;
import org.wridscope.qmp.RunState;

/** {@code --qmp}: commands that other programs control, among them QEMU's own. */
@Timeout(120)
final class QmpCommandTest {
  /** A migration that ends only when its bandwidth is not limited any more. */
  private static final List<String> SLOW_LAB =
      List.of("lab", "--ram=64MiB", "--dirty-rate=1MiB/s", "--bandwidth=1MiB/s", "--timeout=0");

  @TempDir private Path directory;

  private Path socket() {
    return directory.resolve("w.qmp");
  }

  /** A lab that listens. */
  private CommandInThread lab(String... more) throws IOException {
    var arguments = new ArrayList<>(SLOW_LAB);
    arguments.add("--qmp=unix:" + socket());
    arguments.addAll(List.of(more));
    var command = new CommandInThread(arguments.toArray(String[]::new));
    assertThat(command.output().readLine()).isEqualTo("QMP at unix:" + socket());
    return command;
  }

  /** Where a destination says that it listens. */
  private static String listening(CommandInThread destination) {
    String begin = "listening on ";
    return destination
        .output()
        .lines()
        .filter(line -> line.startsWith(begin))
        .findFirst()
        .orElseThrow()
        .substring(begin.length());
  }

  private Qmp connect() throws IOException, InterruptedException {
    return Qmp.connect(new QmpAddress.Unix(socket()), Duration.ofSeconds(20));
  }

  private static MigrationInfo await(QemuMonitor monitor, String status)
      throws IOException, InterruptedException {
    var limit = new TimeLimit();
    MigrationInfo info = monitor.migration();
    while (!info.status().equals(status)) {
      limit.glance(status);
      info = monitor.migration();
    }
    return info;
  }

  @Test
  void aLab_isFollowed_steered_askedAfterItsEnd_andEnded() throws Exception {
    try (CommandInThread lab = lab();
        Qmp qmp = connect()) {
      var monitor = new QemuMonitor(qmp);
      MigrationInfo.Ram active = await(monitor, "active").ram().orElseThrow();
      assertThat(active.total()).isGreaterThan(64 << 20);
      assertThat(monitor.status()).isEqualTo(new RunState("running", true));
      var unlimited = new JsonObject();
      unlimited.addProperty("max-bandwidth", 0);
      monitor.setParameters(unlimited);
      MigrationInfo completed = await(monitor, "completed");
      assertThat(completed.downtime()).isPresent();
      assertThat(completed.ram().orElseThrow().remaining()).isZero();
      String printed =
          lab.output().lines().takeWhile(line -> !line.contains("is answered until")).toList() + "";
      assertThat(printed).contains("completed; verified");
      assertThat(monitor.status()).isEqualTo(new RunState("postmigrate", false));
      monitor.quit();
      assertThat(lab.await(30)).isEqualTo(ExitCode.COMPLETED.number());
      assertThat(Files.exists(socket())).isFalse();
    }
  }

  /** What {@code socat} does with the line in docs/qmp.md. */
  @Test
  void events_areLinesOfJson_forWhoSendsOneLine() throws Exception {
    try (var lab =
            new CommandInThread(
                "lab",
                "--ram=32MiB",
                "--dirty-rate=0",
                "--bandwidth=16MiB/s",
                "--qmp=unix:" + socket(),
                "--qmp-read-only");
        var channel = SocketChannel.open(UnixDomainSocketAddress.of(awaitSocket(lab)));
        var lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
      send(channel, "{\"execute\": \"qmp_capabilities\"}");
      var seen = new ArrayList<String>();
      while (!seen.contains("MIGRATION completed")) {
        JsonObject line = JsonParser.parseString(lines.readLine()).getAsJsonObject();
        if (line.has("event")) {
          assertThat(line.getAsJsonObject("timestamp").get("seconds").getAsLong()).isPositive();
          String status =
              line.has("data") && line.getAsJsonObject("data").has("status")
                  ? " " + line.getAsJsonObject("data").get("status").getAsString()
                  : "";
          seen.add(line.get("event").getAsString() + status);
        }
      }
      assertThat(seen).containsSubsequence("MIGRATION active", "MIGRATION_PASS", "STOP");
      send(channel, "{\"execute\": \"x-wridscope-explain\"}");
      JsonObject answer = JsonParser.parseString(lines.readLine()).getAsJsonObject();
      assertThat(answer.getAsJsonObject("return").get("verdict").getAsString())
          .isEqualTo("completed");
    }
  }

  private Path awaitSocket(CommandInThread command) throws IOException {
    assertThat(command.output().readLine()).isEqualTo("QMP at unix:" + socket());
    return socket();
  }

  private static void send(SocketChannel channel, String line) throws IOException {
    int _ = channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void quit_cancelsAMigration() throws Exception {
    try (CommandInThread lab = lab("--qmp-allow=group");
        Qmp qmp = connect()) {
      var monitor = new QemuMonitor(qmp);
      assertThat(await(monitor, "active").isInProgress()).isTrue();
      monitor.quit();
      assertThat(lab.await(30)).isEqualTo(ExitCode.FAILED.number());
      assertThat(lab.output().lines()).anyMatch(line -> line.startsWith("cancelled"));
    }
  }

  @Test
  void aMigrationThatWaits_isContinued_withoutATerminal() throws Exception {
    try (CommandInThread lab = lab("--pause-before-switchover");
        Qmp qmp = connect()) {
      var monitor = new QemuMonitor(qmp);
      assertThat(await(monitor, "active").isInProgress()).isTrue();
      var unlimited = new JsonObject();
      unlimited.addProperty("max-bandwidth", 0);
      monitor.setParameters(unlimited);
      assertThat(await(monitor, "pre-switchover").isInProgress()).isTrue();
      monitor.migrateContinue("pre-switchover");
      assertThat(await(monitor, "completed").isInProgress()).isFalse();
      monitor.quit();
      assertThat(lab.await(30)).isEqualTo(ExitCode.COMPLETED.number());
    }
  }

  /** As with QEMUs: {@code -incoming defer}, then {@code migrate-incoming} and {@code migrate}. */
  @Test
  void bothEnds_areStartedByClients() throws Exception {
    Path to = directory.resolve("to");
    Path from = directory.resolve("from");
    try (var destination =
            new CommandInThread("destination", "defer", "--ram=32MiB", "--qmp=unix:" + to);
        var source = new CommandInThread("source", "defer", "--ram=32MiB", "--qmp=unix:" + from)) {
      assertThat(destination.output().readLine()).isEqualTo("QMP at unix:" + to);
      assertThat(source.output().readLine()).isEqualTo("QMP at unix:" + from);
      try (Qmp there = Qmp.connect(new QmpAddress.Unix(to), Duration.ofSeconds(20));
          Qmp here = Qmp.connect(new QmpAddress.Unix(from), Duration.ofSeconds(20))) {
        var receiving = new QemuMonitor(there);
        var sending = new QemuMonitor(here);
        assertThat(sending.status()).isEqualTo(new RunState("prelaunch", false));
        assertThatThrownBy(() -> sending.migrateIncoming("rdma:0"))
            .hasMessageContaining("This process is a source; it migrates with migrate.");
        assertThatThrownBy(() -> sending.migrate("nonsense")).hasMessageContaining("nonsense");
        var limit = new JsonObject();
        limit.addProperty("downtime-limit", 1234);
        sending.setParameters(limit);
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
          assertThatThrownBy(
                  () -> receiving.migrateIncoming("rdma:127.0.0.1:" + taken.getLocalPort()))
              .hasMessageContaining("" + taken.getLocalPort());
        }
        receiving.migrateIncoming("rdma:127.0.0.1:0");
        assertThatThrownBy(() -> receiving.migrateIncoming("rdma:127.0.0.1:0"))
            .hasMessageContaining("The incoming migration has already been started");
        String listening = listening(destination);
        sending.migrate(listening);
        assertThat(await(sending, "completed").downtime()).isPresent();
        assertThat(sending.parameters().get("downtime-limit").getAsLong()).isEqualTo(1234);
        assertThat(await(receiving, "completed").isInProgress()).isFalse();
        assertThatThrownBy(() -> sending.migrate("rdma:127.0.0.1:4444"))
            .hasMessageContaining("This process has begun its migration");
        sending.quit();
        receiving.quit();
      }
      assertThat(source.await(30)).isEqualTo(ExitCode.COMPLETED.number());
      assertThat(destination.await(30)).isEqualTo(ExitCode.COMPLETED.number());
    }
  }

  /** As operators move QEMUs that must not run meanwhile. */
  @Test
  void aStoppedGuest_arrivesStopped_andIsContinuedThere() throws Exception {
    Path to = directory.resolve("to");
    Path from = directory.resolve("from");
    try (var destination =
            new CommandInThread(
                "destination", "rdma:127.0.0.1:0", "--ram=32MiB", "--qmp=unix:" + to);
        var source = new CommandInThread("source", "defer", "--ram=32MiB", "--qmp=unix:" + from)) {
      String listening = listening(destination);
      assertThat(source.output().readLine()).isEqualTo("QMP at unix:" + from);
      try (Qmp there = Qmp.connect(new QmpAddress.Unix(to), Duration.ofSeconds(20));
          Qmp here = Qmp.connect(new QmpAddress.Unix(from), Duration.ofSeconds(20))) {
        var receiving = new QemuMonitor(there);
        var sending = new QemuMonitor(here);
        assertThat(here.execute("stop")).hasToString("{}");
        sending.migrate(listening);
        assertThat(await(receiving, "completed").isInProgress()).isFalse();
        assertThat(await(sending, "completed").isInProgress()).isFalse();
        assertThat(receiving.status()).isEqualTo(new RunState("paused", false));
        assertThat(sending.status()).isEqualTo(new RunState("postmigrate", false));
        assertThatThrownBy(() -> here.execute("cont"))
            .hasMessageContaining("The destination has the guest");
        assertThat(there.execute("cont")).hasToString("{}");
        assertThat(receiving.status()).isEqualTo(new RunState("running", true));
        sending.quit();
        receiving.quit();
      }
      assertThat(source.await(30)).isEqualTo(ExitCode.COMPLETED.number());
      assertThat(destination.await(30)).isEqualTo(ExitCode.COMPLETED.number());
    }
  }

  @Test
  void quit_endsACommandThatWaitsForAClient() throws Exception {
    try (var source = new CommandInThread("source", "defer", "--qmp=unix:" + socket())) {
      assertThat(source.output().readLine()).isEqualTo("QMP at unix:" + socket());
      try (Qmp qmp = connect()) {
        new QemuMonitor(qmp).quit();
      }
      assertThat(source.await(30)).isEqualTo(ExitCode.FAILED.number());
    }
  }

  @Test
  void anAddressThatNobodyCanName_isRefused() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "source", "defer");
    assertThat(run.err()).contains("defer: nobody can name the address without --qmp");
    assertThat(run.status()).isEqualTo(ExitCode.USAGE.number());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--qmp=nowhere|--qmp: \"nowhere\" is not the address of a QMP socket",
        "--qmp=ssh:host:/run/s|Wridscope cannot listen at ssh:host:/run/s",
        "--qmp=tcp:127.0.0.1:5|could connect to tcp:127.0.0.1:5; use unix:PATH, or allow them with"
            + " --qmp-allow users",
        "--qmp-allow=users|--qmp-allow: it has an effect only with --qmp",
        "--qmp-read-only|--qmp-read-only: it has an effect only with --qmp",
        "--qmp=/tmp/x --qmp-allow=all|--qmp-allow: 'all' is not known; write owner, group or users."
      })
  void optionsThatCannotBeUsed_areRefused(String options, String sentence) {
    List<String> arguments = new ArrayList<>(List.of("lab", "--ram=8MiB"));
    arguments.addAll(List.of(options.split(" ")));
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, arguments.toArray(String[]::new));
    assertThat(run.err()).contains(sentence);
    assertThat(run.status()).isNotZero();
    assertThat(run.out()).isEmpty();
  }

  // -------------------------------------------------------------------------- QEMU's own client

  /** Where QEMU's package {@code qemu.qmp} is; {@code ./check} fetches it. */
  private static Path qemuPython() {
    String place = System.getenv("WRIDSCOPE_QEMU_PYTHON");
    assumeTrue(place != null, "QEMU's Python package qemu.qmp is not there; ./check fetches it");
    return Path.of(Objects.requireNonNull(place));
  }

  private static List<String> python(String input, String... arguments) throws Exception {
    Path packageFolder = qemuPython();
    var command = new ArrayList<>(List.of("python3"));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PYTHONPATH", packageFolder.toString());
    builder.environment().put("HOME", "/nonexistent");
    Process process = builder.start();
    try (var stdin = process.outputWriter(StandardCharsets.UTF_8)) {
      stdin.write(input);
    }
    List<String> lines = process.inputReader(StandardCharsets.UTF_8).readAllLines();
    assertThat(process.waitFor()).as(String.join("\n", lines)).isZero();
    return lines;
  }

  @Test
  void aScriptForQemu_works_unchanged() throws Exception {
    Path script = Path.of("src/test/resources/org/wridscope/remote/client.py");
    Path _ = qemuPython();
    try (CommandInThread lab = lab()) {
      List<String> lines = python("", script.toString(), socket().toString());
      // The event of a status may come a moment after an answer that has told it.
      assertThat(lines)
          .containsSubsequence(
              "refused CommandNotFound The command device_add has not been found",
              "active True",
              "event MIGRATION device",
              "event STOP ",
              "event MIGRATION completed",
              "completed 0 True",
              "postmigrate");
      assertThat(lab.await(30)).isEqualTo(ExitCode.COMPLETED.number());
    }
  }

  /**
   * The folder of Go packages, as Debian has them, with DigitalOcean's; {@code lab/nightly}
   * installs it.
   */
  private static String goPath() {
    String path = System.getenv().getOrDefault("GOPATH", "/usr/share/gocode");
    assumeTrue(
        Files.isDirectory(Path.of(path, "src/github.com/digitalocean/go-qemu/qmp")),
        "Debian's golang-github-digitalocean-go-qemu-dev is missing");
    return path;
  }

  @Test
  void aGoProgramForQemu_migrates_unchanged() throws Exception {
    String path = goPath();
    try (var destination =
            new CommandInThread("destination", "rdma:127.0.0.1:0", "--ram=32MiB", "--device=soft");
        var source =
            new CommandInThread("source", "defer", "--ram=32MiB", "--qmp=unix:" + socket())) {
      String listening = listening(destination);
      assertThat(source.output().readLine()).isEqualTo("QMP at unix:" + socket());
      var builder =
          new ProcessBuilder(
                  "go",
                  "run",
                  "src/test/resources/org/wridscope/remote/client.go",
                  socket().toString(),
                  listening)
              .redirectErrorStream(true);
      builder.environment().put("GOPATH", path);
      builder.environment().put("GO111MODULE", "off");
      builder.environment().put("GOCACHE", directory.resolve("go").toString());
      Process client = builder.start();
      List<String> lines = client.inputReader(StandardCharsets.UTF_8).readAllLines();
      assertThat(client.waitFor()).as(String.join("\n", lines)).isZero();
      assertThat(lines)
          .containsSubsequence(
              "version 7.2.0",
              "status prelaunch",
              "refused The command device_add has not been found",
              "event STOP <nil>",
              "event MIGRATION completed",
              "completed 0",
              "status postmigrate");
      assertThat(source.await(30)).isEqualTo(ExitCode.COMPLETED.number());
      assertThat(destination.await(30)).isEqualTo(ExitCode.COMPLETED.number());
    }
  }

  @Test
  void qmpShell_works_unchanged() throws Exception {
    Path _ = qemuPython();
    try (CommandInThread lab = lab();
        Qmp qmp = connect()) {
      assertThat(await(new QemuMonitor(qmp), "active").isInProgress()).isTrue();
      List<String> lines =
          python(
              "migrate-set-parameters downtime-limit=123\nquery-migrate-parameters\nquit\n",
              "-c",
              "from qemu.qmp.qmp_shell import main; main()",
              socket().toString());
      assertThat(String.join("\n", lines))
          .contains("Connected to QEMU 7.2.0", "\"downtime-limit\": 123");
      assertThat(lab.await(30)).isEqualTo(ExitCode.FAILED.number());
    }
  }
}
