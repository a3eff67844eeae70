// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.FakeSession;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

final class BenchCommandTest {

  /** Twice as fast without monitoring. */
  private static final FakeSessionManager.LabCourse COURSE =
      (settings, source, destination) -> {
        source.telemetry().metrics().set(Metric.RAM_PROCESSED, 8_000_000_000L);
        source
            .telemetry()
            .metrics()
            .set(
                Metric.TOTAL_TIME,
                settings.migration().get(MigrationSetting.MONITORED)
                    ? 2_000_000_000L
                    : 1_000_000_000L);
        source.endVerified("The guest was migrated.");
        destination.endVerified("The guest was migrated.");
      };

  @Test
  void explore_comparesSchedulesWithRealTime() {
    CommandRun run =
        CommandRun.of(COURSE, "bench", "--explore", "--json", "--repeat=1", "--runs=40");
    assertThat(run.status()).as(run.err()).isZero();
    JsonArray results =
        JsonParser.parseString(run.out()).getAsJsonObject().getAsJsonArray("results");
    assertThat(results.asList())
        .extracting(result -> result.getAsJsonObject().get("name").getAsString())
        .containsExactly("in real time", "under schedules");
    assertThat(results.get(1).getAsJsonObject().get("per_second").getAsDouble()).isPositive();
  }

  @Test
  void json_hasEveryCaseWithItsRatio() {
    CommandRun run = CommandRun.of(COURSE, "bench", "--json", "--ram=1MiB", "--repeat=2");
    assertThat(run.status()).isZero();
    JsonObject json = JsonParser.parseString(run.out()).getAsJsonObject();
    JsonArray results = json.getAsJsonArray("results");
    assertThat(results.asList())
        .extracting(result -> result.getAsJsonObject().get("name").getAsString())
        .containsExactly(
            "memory-copy",
            "memory-read",
            "zero-scan",
            "migration-idle-dynamic",
            "migration-idle-dynamic-unmonitored",
            "migration-idle-dynamic-recorded",
            "migration-idle-pin-all",
            "migration-half-zero-dynamic",
            "migration-half-zero-pin-all",
            "migration-busy-dynamic",
            "migration-busy-pin-all");
    JsonObject copy = results.get(0).getAsJsonObject();
    assertThat(copy.get("ratio").getAsDouble()).isEqualTo(1);
    assertThat(copy.get("gb_per_s").getAsDouble()).isPositive();
    JsonObject idle = results.get(3).getAsJsonObject();
    assertThat(idle.get("gb_per_s").getAsDouble()).isEqualTo(4);
    JsonObject monitoring = json.getAsJsonObject("monitoring_cost");
    assertThat(monitoring.get("percent").getAsDouble()).isEqualTo(100);
    assertThat(monitoring.get("low").getAsDouble()).isEqualTo(100);
    assertThat(monitoring.get("pairs").getAsInt()).isEqualTo(12);
    assertThat(json.getAsJsonObject("recording_cost").get("high").getAsDouble()).isZero();
    assertThat(run.err()).contains("2 of 2: memory-copy");
  }

  @Test
  void text_hasALineForEachCase() {
    CommandRun run = CommandRun.of(COURSE, "bench", "--ram=1MiB", "--repeat=1");
    assertThat(run.out())
        .startsWith("1.00 MiB of RAM, repetitions: 1\n")
        .containsPattern("migration-idle-pin-all +4\\.00 ")
        .endsWith(
            "monitoring costs 100.0 % of the time (100.0 to 100.0), recording 0.0 % of the time"
                + " (0.0 to 0.0) more; of 6 pairs, with 95 % confidence\n");
  }

  @Test
  void migrations_areReleasedBeforeTheNextOneStarts() {
    CommandRun run = CommandRun.of(COURSE, "bench", "--ram=1MiB", "--repeat=1");
    assertThat(run.manager().everStarted()).hasSize(2 * run.manager().labs().size());
    assertThat(run.manager().everStarted()).allMatch(FakeSession::closed);
    assertThat(run.manager().labs())
        .extracting(lab -> lab.migration().get(MigrationSetting.PIN_ALL))
        .contains(true, false);
  }

  @Test
  void migrationThatIsNotVerified_givesNoResults() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.end(MigrationStatus.COMPLETED, "Completed.");
              destination.end(MigrationStatus.COMPLETED, "The guest was migrated.");
            },
            "bench",
            "--json",
            "--ram=1MiB");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .contains("migration-idle-dynamic did not complete with equal RAM (Completed.)");
    assertThat(run.manager().closed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --ram=lots    | --ram: "lots" is not a size
          --ram=33GiB   | --ram: 33GiB is needed twice
          --repeat=0    | --repeat: 0 is out of range; write 1 to 1000.
          --repeat=x    | --repeat: "x" is not a whole number.
          --dirty-rate=1MiB          | --dirty-rate: it has an effect only with --qemu
          --window --qemu  | --window: it cannot be combined with --qemu, --rdma or --tcp
          --start --window | --start: leave it out with --window.
          --start --tcp    | --start: it cannot be combined with --qemu, --rdma or --tcp
          --runs=40        | --runs: it has an effect only with --explore
          --scale --explore | --scale: it cannot be combined with another benchmark
          --scale=much     | --scale:
          --explore --runs=19 | --runs: 19 is out of range; write 20 to 1000000.
          --start          | --start: this program does not run from its jar
          --qemu --ram=1MiB          | RAM: the guest that counts cannot have 1MiB
          --qemu --dirty-rate=fast   | --dirty-rate: "fast" is not a rate
          """)
  void badInput_isOneSentenceAndExitCode2(String options, String sentence) {
    CommandRun run = CommandRun.of(COURSE, ("bench " + options).split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("wridscope: ").contains(sentence);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.manager().labs()).isEmpty();
  }
}
