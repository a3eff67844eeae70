// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.FakeSessionManager;
import org.wridscope.control.scenario.Exploration;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/** {@code lab} with a scenario, {@code --explore} and {@code --list}. */
final class ScenarioCommandTest {
  private static CommandRun lab(String... options) {
    return lab(CommandRun.SUCCESS, options);
  }

  private static CommandRun lab(FakeSessionManager.LabCourse course, String... options) {
    return CommandRun.of(
        course, Stream.concat(Stream.of("lab"), Stream.of(options)).toArray(String[]::new));
  }

  private static void assertRefused(CommandRun run, String sentence) {
    assertThat(run.err()).isEqualTo("wridscope: " + sentence + "\n");
    assertThat(run.out()).isEmpty();
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void list_fitsATerminal() {
    CommandRun run = lab("--list");
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("first-migration ", "\ntiny-queues ", "\npin-all-refused ");
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--ram=8MiB",
        "--dirty-rate=0",
        "--working-set=4KiB",
        "--zero=10%",
        "--virtio-requests=1",
        "--virtio-fault=in-flight-forgotten",
        "--image=x",
        "--out=x",
        "--pin-all",
        "--unregister",
        "--refuse-pin-all",
        "--bandwidth=1GiB/s",
        "--downtime-limit=1s",
        "--timeout=1s",
        "--report=x"
      })
  void whatWouldDoNothing_isRefused(String option) {
    String name = option.replaceAll("=.*", "");
    assertRefused(
        lab("all-zeros", option),
        name
            + ": leave it out with all-zeros, which can be combined only with --seed, --cq,"
            + " --real-time, --verdict, --record, --pcap, --force, --mode, --metrics,"
            + " --metrics-stay, --metrics-file.");
    for (String command :
        List.of("explore 2", "list", "soak 20", "step all-zeros", "exhaustive 2")) {
      assertThat(lab((command + " " + option).split(" ")).err())
          .startsWith(
              "wridscope: Unknown option: '%s'; %s is an option of 'lab run'\n"
                  .formatted(option, name));
    }
  }

  @Test
  void twoAtOnce_areRefused() {
    assertThat(lab("all-zeros", "--explore=2").err())
        .startsWith("wridscope: Unmatched argument at index 3: 'all-zeros'\n");
    assertThat(lab("--explore=2", "--list").err())
        .startsWith("wridscope: Unknown option: '--list'\n");
    assertThat(lab("--ram=8MiB", "explore", "2").err())
        .startsWith("wridscope: --ram: write it after 'explore'.\n");
    assertThat(lab("--explore=2", "--record=x").err())
        .startsWith(
            "wridscope: Unknown option: '--record=x'; --record is an option of 'lab run'\n");
    assertRefused(
        lab("source-cut", "--record=x"),
        "--record: leave it out; source-cut has 60 runs, and a recording can hold only 8.");
  }

  @ParameterizedTest
  @CsvSource({
    "--list,list",
    "--explore 3 --seed 2,explore 3 --seed 2",
    "--seed=2 --explore=3,explore 3 --seed=2",
    "all-zeros --step,step all-zeros",
    "tiny-queues --cq shared --exhaustive 4 --faults,exhaustive 4 tiny-queues --cq shared --faults",
    "--qemu --keep,qemu --keep",
    "--soak=12,soak 12",
    "--ram 1GiB,--ram 1GiB",
    "explore --list,explore --list",
    "run --ram 1GiB,run --ram 1GiB",
    "--explore,explore"
  })
  void formerOptions_areCommands(String former, String now) {
    assertThat(LabWords.ofToday(("lab " + former).split(" ")))
        .containsExactly(("lab " + now).split(" "));
  }

  @Test
  void help_hasDefaultsAsTheyAreTyped() {
    assertThat(lab("run", "--help").out().replaceAll("\\s+", " "))
        .contains("such as 40% or 0.4. Default: 40%", "Default: a quarter of the RAM", "60s");
    assertThat(lab("qemu", "--help").out()).contains("such as 30%").contains("Default: 256MiB");
  }

  @Test
  void scenario_takesSeedAndQueues() {
    CommandRun run = lab("all-zeros", "--seed=7", "--cq=shared");
    assertThat(run.err()).startsWith("All zeros\n");
    assertThat(run.manager().labs())
        .singleElement()
        .extracting(lab -> lab.get(MigrationSetting.COMPLETION_QUEUES))
        .isEqualTo(CompletionQueues.SHARED);
    assertThat(run.out()).endsWith("as expected: 1 run\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void release_isOnlyForRandomScenarios() {
    assertThat(lab("--release=on-reply").err())
        .startsWith(
            "wridscope: Unknown option: '--release=on-reply'; --release is an option of 'lab explore'\n");
    assertRefused(
        lab("--explore=1", "--release=late"),
        "--release: \"late\" is not valid; write on-completion or on-reply.");
    assertThat(lab("--explore=1", "--release=on-completion").status()).isZero();
  }

  @Test
  void exploration_beginsWithTheSeed_andSumsUp() {
    CommandRun run = lab("--explore=5", "--seed=11");
    assertThat(run.status()).as(run.out()).isZero();
    assertThat(run.out())
        .matches(
            "5 runs in .*, 5 completed; \\d without faults, all completed; 0 broke an invariant\n");
    assertThat(run.manager().labs())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(11, 12, 13, 14, 15)
                .map(seed -> Exploration.of("x", seed).unmonitored().lab())
                .toList());
    assertThat(run.manager().everStarted()).hasSize(10);
  }

  @Test
  void exploration_thatFindsSomething_tellsTheSeed() {
    CommandRun run =
        lab(
            (settings, source, destination) -> {
              source.end(MigrationStatus.COMPLETED, "It is gone.");
              destination.end(MigrationStatus.FAILED, "It never came.");
            },
            "--explore=1",
            "--seed=3");
    assertThat(run.out()).startsWith("seed 3: Neither guest runs.\n").contains("; 1 broke");
    assertThat(run.status()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void exploration_aHang_isKnownByWhatWasCounted(boolean atTheSource) {
    CommandRun run =
        lab(
            (settings, source, destination) -> {
              (atTheSource ? source : destination)
                  .telemetry()
                  .metrics()
                  .increment(Metric.COMPLETIONS_DROPPED);
              source.end(MigrationStatus.FAILED, "Nothing came.");
              destination.end(MigrationStatus.FAILED, "Nothing came.");
            },
            "--explore=1",
            "--cq=shared");
    assertThat(run.out())
        .startsWith(
            "seed 1: It did not complete after waits had dropped completions (1): Nothing"
                + " came.\n");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void exploration_thatCompletesInSpiteOfIt_isGood() {
    CommandRun run =
        lab(
            (settings, source, destination) -> {
              source.telemetry().metrics().increment(Metric.COMPLETIONS_DROPPED);
              source.endVerified("It is there.");
              destination.endVerified("It is here.");
            },
            "--explore=1");
    assertThat(run.status()).isZero();
  }
}
