// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.Slow;

@Slow("clients of HTTP, and migrations in real time")
final class MetricsCommandTest {
  private static final String ANNOUNCEMENT = "metrics at ";
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path directory;

  private static String read(String url) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      // A server that ends may leave a connection that it has just accepted open until its process
      // ends.
      return client
          .send(
              HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT).build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  /** Reads until the server ends. */
  private static String lastReading(String url) throws InterruptedException {
    String last = "";
    try {
      while (true) {
        last = read(url);
      }
    } catch (IOException e) {
      return last;
    }
  }

  /** Where a command serves its metrics, as it says. */
  private static String url(CommandInThread command) {
    return command
        .output()
        .lines()
        .filter(line -> line.startsWith(ANNOUNCEMENT))
        .map(line -> line.substring(ANNOUNCEMENT.length()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void lab_servesItsLastValues_untilTheyWereRead() throws Exception {
    try (var lab =
        new CommandInThread(
            "lab", "--ram=4MiB", "--dirty-rate=0", "--metrics=0", "--metrics-stay=5min")) {
      String last = lastReading(url(lab));
      assertThat(last)
          .contains("wridscope_migration_verified{role=\"source\",session=\"lab 1 source\"} 1.0")
          .contains("status=\"completed\"} 1.0");
      assertThat(lab.await(60)).isZero();
    }
  }

  @Test
  void lab_writesAFile_andReplacesAnOlderOne_butNoOther() throws IOException {
    Path file = directory.resolve("migration.prom");
    Files.writeString(file, "# HELP wridscope_sessions An older one.\n");
    CommandRun run =
        CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=16MiB", "--metrics-file=" + file);
    assertThat(run.status()).isZero();
    assertThat(file).content().contains("wridscope_sessions 2.0\n");
    Files.writeString(file, "# HELP node_cpu_seconds_total Of somebody else.\n");
    CommandRun other =
        CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=16MiB", "--metrics-file=" + file);
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.err()).contains("is not metrics and is never replaced");
    assertThat(file).content().contains("Of somebody else.");
  }

  /** Of a scenario with several runs, the last one. */
  @Test
  void scenario_writesAFile_ofItsLastRun_andServesIt() throws Exception {
    Path file = directory.resolve("scenario.prom");
    try (var lab =
        new CommandInThread(
            "lab",
            "number-reuse",
            "--metrics=0",
            "--metrics-stay=5min",
            "--metrics-file=" + file)) {
      String last = lastReading(url(lab));
      assertThat(last).contains("wridscope_sessions 2.0\n", "status=\"completed\"} 1.0");
      assertThat(lab.await(60)).isZero();
    }
    assertThat(file).content().contains("wridscope_sessions 2.0\n", "status=\"completed\"} 1.0");
  }

  @Test
  void theFileOfTheMetrics_isNotThatOfARecording_ofAScenario() {
    Path file = directory.resolve("one");
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS, "lab", "all-zeros", "--metrics-file=" + file, "--record=" + file);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void theFileOfTheMetrics_isNotThatOfTheReport() {
    Path file = directory.resolve("one");
    CommandRun run =
        CommandRun.of(CommandRun.SUCCESS, "lab", "--metrics-file=" + file, "--report=" + file);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.manager().labs()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          lab --metrics=x          | --metrics: "x" is not an address
          lab --metrics-stay=5s    | --metrics-stay: it has an effect only with --metrics
          --metrics=0 lab          | --metrics: write it after 'lab'.
          --metrics=0              | there is no display
          """)
  void whatHasNoEffect_isRefused(String command, String sentence) {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, command.split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains(sentence);
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void theWindow_servesItsSessions() throws IOException {
    int port;
    try (var free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    var served = new AtomicReference<String>("");
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            (_, _) -> {
              try {
                served.set(read("http://127.0.0.1:%d/metrics".formatted(port)));
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            Map.of("DISPLAY", ":0"),
            "--metrics=" + port);
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains(ANNOUNCEMENT + "http://127.0.0.1:" + port);
    assertThat(served.get()).contains("wridscope_sessions 0.0\n");
  }
}
