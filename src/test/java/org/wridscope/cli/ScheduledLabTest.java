// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.Slow;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.ScenarioWriter;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.telemetry.MigrationStatus;

/** {@code lab SCENARIO} under a schedule. */
@Slow("many orders of whole migrations")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScheduledLabTest {
  @TempDir private Path folder;

  private volatile boolean loaded = true;
  private final List<Thread> load = new ArrayList<>();

  @AfterEach
  void unload() throws InterruptedException {
    loaded = false;
    for (Thread thread : load) {
      thread.join();
    }
  }

  private void load() {
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      load.add(
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                while (loaded) {
                  Thread.yield();
                }
              }));
    }
  }

  private JsonObject verdict(String name) throws IOException {
    return JsonParser.parseString(Files.readString(folder.resolve(name))).getAsJsonObject();
  }

  private CommandRun run(String scenario, String seed, String name) {
    return CommandRun.real(
        "lab",
        scenario,
        "--seed=" + seed,
        "--record=" + folder.resolve(name + ".wrs"),
        "--pcap=" + folder.resolve(name + ".pcapng"),
        "--metrics-file=" + folder.resolve(name + ".prom"),
        "--verdict=" + folder.resolve(name + ".json"));
  }

  @ParameterizedTest
  @CsvSource({
    "tiny-queues, 0",
    "virtqueue-reset-wrong, 4",
    "queue-pair-fatal, 2",
    "number-reuse, 1",
    "out-of-order-wrid-shared, 5",
  })
  void aSeed_givesTheSameFiles_alsoUnderLoad(String scenario, String seed) throws Exception {
    checkFiles(scenario, seed);
  }

  /** With little RAM: what the shipped scenario writes would take minutes on a busy machine. */
  @Test
  void aSeedOfSeveralRuns_givesTheSameFiles_alsoUnderLoad() throws Exception {
    Scenario several = Scenarios.shipped("retransmission-exposed");
    assertThat(several.runs()).isGreaterThan(1);
    String text = ScenarioWriter.write(several);
    assertThat(text).contains("\"256MiB\"");
    Path file =
        Files.writeString(folder.resolve("several.json"), text.replace("\"256MiB\"", "\"8MiB\""));
    checkFiles(file.toString(), "6");
  }

  private void checkFiles(String scenario, String seed) throws Exception {
    CommandRun first = run(scenario, seed, "first");
    load();
    CommandRun second = run(scenario, seed, "second");
    assertThat(first.status()).as(first.out()).isZero();
    assertThat(second.out()).isEqualTo(first.out());
    for (String suffix : List.of(".wrs", ".pcapng", ".prom", ".json")) {
      long differs =
          Files.mismatch(folder.resolve("second" + suffix), folder.resolve("first" + suffix));
      assertThat(differs).as("the first byte that differs, " + suffix).isEqualTo(-1);
    }
    CommandRun alone =
        CommandRun.real(
            "lab", scenario, "--seed=" + seed, "--verdict=" + folder.resolve("alone.json"));
    assertThat(alone.status()).isZero();
    assertThat(folder.resolve("alone.json"))
        .as("whoever looks on changes nothing")
        .hasSameTextualContentAs(folder.resolve("first.json"));
    assertThat(verdict("alone.json").get("order").getAsString()).isEqualTo(seed);
  }

  @Test
  void aFile_hasASchedule() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("mine.json"),
            """
            {"title": "Mine", "about": "A.", "guest": {"ram": "1MiB"}, "order": 4,
             "choices": [{"at": 2, "take": 1, "does": "goes on"}, {"at": 9, "take": 0}]}
            """);
    CommandRun run =
        CommandRun.real("lab", file.toString(), "--verdict=" + folder.resolve("verdict.json"));
    assertThat(run.err().replace('\n', ' '))
        .contains("Everything goes on in the random order of seed 4, but for 2 choices.");
    JsonObject verdict = verdict("verdict.json");
    assertThat(verdict.get("verdict").getAsString()).isEqualTo("as expected");
    assertThat(verdict.get("order").getAsLong()).isEqualTo(4);
    assertThat(verdict.get("choices").toString())
        .matches(
            "\\[\\{\"at\":2,\"take\":1,\"does\":\".+\"},"
                + "\\{\"at\":9,\"take\":0,\"does\":\".+\"}]");
    assertThat(verdict.get("in-turn").getAsBoolean()).isFalse();
    assertThat(
            verdict.getAsJsonArray("runs").get(0).getAsJsonObject().get("choices-made").getAsLong())
        .isPositive();
  }

  @Test
  void realTime_isTheMachines() throws Exception {
    CommandRun run =
        CommandRun.real(
            "lab", "all-zeros", "--real-time", "--verdict=" + folder.resolve("verdict.json"));
    assertThat(run.status()).isZero();
    assertThat(run.err()).doesNotContain("Everything goes on");
    JsonObject verdict = verdict("verdict.json");
    assertThat(verdict.get("real-time").getAsBoolean()).isTrue();
    assertThat(verdict.keySet()).doesNotContain("order", "in-turn", "choices");
  }

  @Test
  void verdict_namesWhatWasNotAsExpected() throws Exception {
    Path file = folder.resolve("verdict.json");
    FakeSessionManager.LabCourse course =
        (_, source, destination) -> {
          source.end(MigrationStatus.FAILED, "It broke.");
          destination.end(MigrationStatus.FAILED, "It broke.");
        };
    CommandRun run = CommandRun.of(course, "lab", "all-zeros", "--verdict=" + file);
    assertThat(run.status()).isEqualTo(1);
    JsonObject verdict = verdict("verdict.json");
    assertThat(verdict.get("verdict").getAsString()).isEqualTo("not as expected");
    JsonObject only = verdict.getAsJsonArray("runs").get(0).getAsJsonObject();
    assertThat(only.get("status").getAsString()).isEqualTo("failed");
    assertThat(only.get("outcome").getAsString()).isEqualTo("It broke.");
    assertThat(only.getAsJsonArray("problems").toString())
        .contains("The source ended 'failed' instead of 'completed'.");
    // An older verdict may be replaced, anything else not.
    assertThat(CommandRun.of(course, "lab", "all-zeros", "--verdict=" + file).status())
        .isEqualTo(1);
    Files.writeString(file, "{\"mine\": 1}");
    CommandRun refused = CommandRun.of(course, "lab", "all-zeros", "--verdict=" + file);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).startsWith("wridscope: --verdict: ");
    assertThat(file).hasContent("{\"mine\": 1}");
  }

  @Test
  void withoutAScenario_bothAreRefused() {
    assertThat(CommandRun.of(CommandRun.SUCCESS, "lab", "--real-time").err())
        .isEqualTo(
            "wridscope: --real-time: it has an effect only with a scenario; name one, or leave it"
                + " out.\n");
    assertThat(CommandRun.of(CommandRun.SUCCESS, "lab", "--verdict=x").err())
        .startsWith("wridscope: --verdict: it has an effect only with a scenario;");
    assertThat(
            CommandRun.of(CommandRun.SUCCESS, "lab", "all-zeros", "--verdict=x", "--record=x")
                .err())
        .startsWith("wridscope: --record: ");
  }
}
