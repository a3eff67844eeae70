// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.telemetry.MigrationStatus;

final class InterruptionTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @TempDir Path directory;

  @Test
  void interrupt_waitsForTheCommandToEnd() throws InterruptedException {
    AtomicInteger stops = new AtomicInteger();
    AtomicBoolean ended = new AtomicBoolean();
    Interruption interruption = new Interruption(LONG);
    CountDownLatch stopped = new CountDownLatch(1);
    interruption.onRequest(() -> {
      stops.incrementAndGet();
      stopped.countDown();
    });
    AtomicBoolean endedBeforeTheProcess = new AtomicBoolean();
    Thread signal =
        Thread.ofPlatform()
            .start(() -> {
              interruption.interrupt();
              endedBeforeTheProcess.set(ended.get());
            });
    assertThat(stopped.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    ended.set(true);
    interruption.close();
    signal.join();
    assertThat(endedBeforeTheProcess).isTrue();
    assertThat(stops).hasValue(1);
  }

  @Test
  void interrupt_commandThatDoesNotEnd_isNotWaitedForForever() {
    try (Interruption interruption = new Interruption(Duration.ZERO)) {
      interruption.interrupt();
      assertThat(interruption.requested()).isTrue();
    }
  }

  @Test
  void onRequest_afterIt_stopsAtOnce() {
    AtomicInteger stops = new AtomicInteger();
    try (Interruption interruption = new Interruption(Duration.ZERO)) {
      interruption.interrupt();
      interruption.onRequest(stops::incrementAndGet);
    }
    assertThat(stops).hasValue(1);
  }

  /** A real signal to a real process, whose lab never ends by itself. */
  @Test
  void sigterm_cancelsAndLeavesAReport() throws IOException, InterruptedException {
    Path report = directory.resolve("report.json");
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Endless.class.getName(),
                "lab",
                "--ram=8MiB",
                "--report=" + report)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      long deadline = System.nanoTime() + LONG.toNanos();
      while (!Files.readString(err).contains("  start")) {
        assertThat(process.isAlive()).as("%s", err).isTrue();
        assertThat(System.nanoTime()).as("nothing started").isLessThan(deadline);
        Thread.sleep(20);
      }
      process.destroy();
      assertThat(process.waitFor(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isEqualTo(ExitCode.TERMINATED.number());
    assertThat(out).content(StandardCharsets.UTF_8).startsWith("cancelled: Cancelled;");
    assertThat(
            JsonParser.parseString(Files.readString(report))
                .getAsJsonObject()
                .get("status")
                .getAsString())
        .isEqualTo("cancelled");
    assertThat(directory)
        .isDirectoryNotContaining(file -> file.getFileName().toString().endsWith("unfinished"));
  }

  /** The command line with labs that only a signal ends. */
  static final class Endless {
    private Endless() {}

    public static void main(String[] args) {
      FakeSessionManager manager =
          new FakeSessionManager((settings, source, destination) ->
              destination.end(MigrationStatus.FAILED, false, "The source gave up."));
      System.exit(
          WridscopeCommand.run(
              args,
              () -> manager,
              CommandRun.NO_WINDOW,
              Map.of(),
              Terminal.ofProcess(Map.of()),
              FreeMemory.HERE));
    }
  }
}
