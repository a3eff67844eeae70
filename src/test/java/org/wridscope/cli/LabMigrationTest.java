// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Role;

/** The lab with real sessions. */
final class LabMigrationTest {
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  @TempDir Path directory;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void syntheticGuest_isVerifiedAndReported() throws IOException {
    Path report = directory.resolve("report.json");
    assertThat(lab("--ram=16MiB", "--dirty-rate=10MiB/s", "--report=" + report))
        .as("%s%s", out, err)
        .isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("verified: every RAM block is equal");
    JsonObject json = JsonParser.parseString(Files.readString(report)).getAsJsonObject();
    assertThat(json.get("verified").getAsBoolean()).isTrue();
    assertThat(json.getAsJsonObject("digests").getAsJsonObject("source").keySet())
        .contains("pc.ram");
    assertThat(json.getAsJsonObject("digests").get("source"))
        .isEqualTo(json.getAsJsonObject("digests").get("destination"));
    assertThat(json.getAsJsonObject("destination").get("status").getAsString())
        .isEqualTo("completed");
  }

  @Test
  void scenario_ofTwoRuns_isRecordedWithBoth() throws IOException {
    Path file = directory.resolve("runs.trace");
    assertThat(lab("number-reuse", "--record=" + file)).as("%s%s", out, err).isZero();
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("recorded ", " events in " + file);
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions())
          .extracting(Session::role)
          .containsExactly(Role.SOURCE, Role.DESTINATION, Role.SOURCE, Role.DESTINATION);
    }
  }

  @Test
  void image_arrivesAsItWas() throws IOException {
    Path image = image(3 * (1 << 20) + 4096);
    Path copy = directory.resolve("copy");
    assertThat(lab("--image=" + image, "--out=" + copy)).as("%s%s", out, err).isZero();
    assertThat(Files.mismatch(image, copy)).isEqualTo(-1);
    assertNothingElseThan(image, copy);
  }

  @Test
  void outThatCannotBe_isRefusedAndLeavesNothing() throws IOException {
    Path image = image(4096);
    for (String place : new String[] {"/dev/null", directory.resolve("no/copy").toString(), "/"}) {
      err.reset();
      assertThat(lab("--image=" + image, "--out=" + place)).isEqualTo(2);
      assertThat(err.toString(StandardCharsets.UTF_8).lines())
          .filteredOn(line -> line.startsWith("wridscope: "))
          .hasSize(1);
      assertThat(err.toString(StandardCharsets.UTF_8)).doesNotContain("\tat ");
      assertNothingElseThan(image);
    }
  }

  @Test
  void timeout_givesUpAndLeavesNothing() throws IOException {
    Path image = image(16 << 20);
    int status =
        lab(
            "--image=" + image,
            "--out=" + directory.resolve("copy"),
            "--bandwidth=1MiB/s",
            "--timeout=1s");
    assertThat(status).as("%s%s", out, err).isEqualTo(4);
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("failed: ");
    assertNothingElseThan(image);
  }

  /** A real signal to a real process. */
  @Test
  void sigterm_cancelsAndLeavesOnlyTheReport() throws IOException, InterruptedException {
    Path image = image(64 << 20);
    Path report = directory.resolve("report.json");
    Path outFile = directory.resolve("out");
    Path errFile = directory.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                InAProcess.class.getName(),
                "lab",
                "--image=" + image,
                "--out=" + directory.resolve("copy"),
                "--bandwidth=1MiB/s",
                "--report=" + report)
            .redirectOutput(outFile.toFile())
            .redirectError(errFile.toFile())
            .start();
    try {
      long deadline = System.nanoTime() + PATIENCE_NANOS;
      while (!Files.readString(errFile).contains("  round 1")) {
        assertThat(process.isAlive()).as("%s", errFile).isTrue();
        assertThat(System.nanoTime()).as("no round began").isLessThan(deadline);
        Thread.sleep(20);
      }
      process.destroy();
      assertThat(process.waitFor(PATIENCE_NANOS, TimeUnit.NANOSECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isEqualTo(ExitCode.TERMINATED.number());
    assertThat(outFile).content(StandardCharsets.UTF_8).startsWith("cancelled: ");
    JsonObject json = JsonParser.parseString(Files.readString(report)).getAsJsonObject();
    assertThat(json.get("status").getAsString()).isEqualTo("cancelled");
    assertNothingElseThan(image, report, outFile, errFile);
  }

  private int lab(String... options) {
    String[] args = new String[options.length + 1];
    args[0] = "lab";
    System.arraycopy(options, 0, args, 1, options.length);
    Terminal terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            false);
    return run(args, terminal);
  }

  private static int run(String[] args, Terminal terminal) {
    return WridscopeCommand.run(
        args,
        LocalSessions::new,
        CommandRun.NO_WINDOW,
        Map.of(),
        terminal,
        new FreeMemory(() -> Long.MAX_VALUE),
        new ThisMachine());
  }

  private Path image(int length) throws IOException {
    byte[] bytes = new byte[length];
    new Random(42).nextBytes(bytes);
    return Files.write(directory.resolve("image"), bytes);
  }

  private void assertNothingElseThan(Path... files) throws IOException {
    try (var found = Files.list(directory)) {
      assertThat(found).containsExactlyInAnyOrder(files);
    }
  }

  /** The command line as a process of its own. */
  static final class InAProcess {
    private InAProcess() {}

    public static void main(String[] args) {
      System.exit(run(args, Terminal.ofProcess(Map.of())));
    }
  }
}
