// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.ChildJvm;
import org.wridscope.Main;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.control.Session;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Role;

/** The lab with real sessions. */
@Slow("the program is a process of its own, and migrates in real time")
final class LabMigrationTest {
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

  @TempDir Path directory;

  @Test
  void syntheticGuest_isVerifiedAndReported() throws IOException {
    Path report = directory.resolve("report.json");
    CommandRun run = lab("--ram=16MiB", "--dirty-rate=10MiB/s", "--report=" + report);
    assertThat(run.status()).as("%s", run).isZero();
    assertThat(run.out()).contains("verified: every RAM block is equal");
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
    CommandRun run = lab("number-reuse", "--record=" + file);
    assertThat(run.status()).as("%s", run).isZero();
    assertThat(run.err()).contains("recorded ", " events in " + file);
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
    CommandRun run = lab("--image=" + image, "--out=" + copy);
    assertThat(run.status()).as("%s", run).isZero();
    assertThat(Files.mismatch(image, copy)).isEqualTo(-1);
    assertNothingElseThan(image, copy);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/dev/null", "no/copy", "/"})
  void outThatCannotBe_isRefusedAndLeavesNothing(String place) throws IOException {
    Path image = image(4096);
    CommandRun run = lab("--image=" + image, "--out=" + directory.resolve(place));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err().lines()).filteredOn(line -> line.startsWith("wridscope: ")).hasSize(1);
    assertThat(run.err()).doesNotContain("\tat ");
    assertNothingElseThan(image);
  }

  @Test
  void timeout_givesUpAndLeavesNothing() throws IOException {
    Path image = image(16 << 20);
    CommandRun run =
        lab(
            "--image=" + image,
            "--out=" + directory.resolve("copy"),
            "--bandwidth=1MiB/s",
            "--timeout=1s");
    assertThat(run.status()).as("%s", run).isEqualTo(4);
    assertThat(run.out()).startsWith("failed: ");
    assertNothingElseThan(image);
  }

  /** Sends a real signal to a real process. */
  @Test
  void sigterm_cancelsAndLeavesOnlyTheReport() throws IOException, InterruptedException {
    Path image = image(64 << 20);
    Path report = directory.resolve("report.json");
    Path outFile = directory.resolve("out");
    Path errFile = directory.resolve("err");
    List<String> command = ChildJvm.command(Main.class);
    command.addAll(
        List.of(
            "lab",
            "--image=" + image,
            "--out=" + directory.resolve("copy"),
            "--bandwidth=1MiB/s",
            "--report=" + report));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(outFile.toFile())
            .redirectError(errFile.toFile())
            .start();
    try {
      var limit = new TimeLimit();
      while (!Files.readString(errFile).contains("  round 1")) {
        assertThat(process.isAlive()).as("%s", errFile).isTrue();
        limit.glance("a round to begin");
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

  private static CommandRun lab(String... options) {
    return CommandRun.real(
        Stream.concat(Stream.of("lab"), Stream.of(options)).toArray(String[]::new));
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
}
