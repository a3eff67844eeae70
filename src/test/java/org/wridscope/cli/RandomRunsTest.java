// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.control.Footprint;
import org.wridscope.control.LocalSessions;
import org.wridscope.memory.NativeMemory;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.soft.SoftFabric;

/** {@code lab --explore} and {@code lab --soak}: many migrations in one process. */
@Slow("many migrations in real time, between which the garbage is collected")
final class RandomRunsTest {
  /** Bytes of garbage, more than the growth of a heap that is tolerated. */
  private static final int PIECE = 16 << 20;

  @Test
  void twentyMigrations_leaveNothingBehind() {
    CommandRun run = CommandRun.real("lab", "--soak=20");
    assertThat(run.status()).as("%s%s", run.out(), run.err()).isZero();
    assertThat(run.out()).contains("nothing grew").contains("tolerated growth: ");
    // A line after the tenth run, and ten more.
    assertThat(run.out().lines().filter(line -> line.matches(" +[0-9]+ .*"))).hasSize(11);
  }

  /** Even a single page of memory and a single protection domain are found. */
  @Test
  void theLeastThatIsLeft_isFound() throws Exception {
    var kept = new ArrayList<AutoCloseable>();
    try (var device = new SoftFabric().open("leaking")) {
      CommandRun run =
          CommandRun.real(
              () -> {
                kept.add(leaked(() -> NativeMemory.allocate(1)));
                kept.add(leaked(device::allocateProtectionDomain));
                return new LocalSessions();
              },
              false,
              "lab",
              "--soak=11");
      assertThat(run.status()).isEqualTo(ExitCode.FAILED.number());
      assertThat(run.out())
          .contains("after 11 runs, 1 of this was not released: byte of own memory")
          .contains("after 11 runs, 1 of this was not released: protection domain")
          .doesNotContain("released: memory region", "released: queue pair");
      for (AutoCloseable each : kept) {
        each.close();
      }
    }
  }

  private static AutoCloseable leaked(Callable<? extends AutoCloseable> opened) {
    try {
      return opened.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void explore_showsHowFarItIs_andSaysInTheEndHowTheyEnded() {
    CommandRun run = CommandRun.real(LocalSessions::new, true, "lab", "--explore=6", "--seed=3");
    assertThat(run.status()).as("%s%s", run.out(), run.err()).isZero();
    assertThat(run.out())
        .matches(
            "6 runs in [^,]+, ([1-6] [a-z]+(, )?)+; [1-5] without faults, all completed;"
                + " 0 broke an invariant\n(  .+: .+ \\d+\n)*");
    assertThat(run.err())
        .contains("0 of 6 runs")
        .contains("1 of 6 runs: 1 ")
        .contains("6 of 6 runs");
  }

  @Test
  void explore_guestThatIsLost_isFound_andItsSeedTold() {
    CommandRun run =
        CommandRun.of(
            (_, source, destination) -> {
              source.endVerified("The guest runs at the destination.");
              destination.end(MigrationStatus.FAILED, "The guest was not started here.");
            },
            "lab",
            "--explore=2",
            "--seed=7");
    assertThat(run.status()).isEqualTo(ExitCode.FAILED.number());
    assertThat(run.out())
        .contains("seed 7: Neither guest runs.", "seed 8: Neither guest runs.")
        .contains(
            "2 runs in ", ", 2 completed; 1 without faults, all completed; 2 broke an invariant");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--explore=3", "--soak=11"})
  void labThatCannotBegin_endsThem_withOneSentence(String option) {
    CommandRun run =
        CommandRun.of(
            (_, _, _) -> {
              throw new IOException("The system refused 8 MiB of memory.");
            },
            "lab",
            option);
    assertThat(run.status()).isEqualTo(ExitCode.FAILED.number());
    assertThat(run.err()).contains("wridscope: The system refused 8 MiB of memory.");
    assertThat(run.manager().closed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--soak=10", "--soak=-1", "--soak=20 --ram=1GiB"})
  void whatCannotBe_isRefused(String options) {
    var args = new ArrayList<>(List.of("lab"));
    args.addAll(List.of(options.split(" ")));
    CommandRun run = CommandRun.real(args.toArray(String[]::new));
    assertThat(run.status()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err())
        .containsAnyOf("NUMBER: ", "'--ram=1GiB'; --ram is an option of 'lab run'");
  }

  @Test
  void whatIsLeftBehind_isFound() throws Exception {
    Footprint before = Footprint.now();
    assertThat(before.grownTo(before)).isEmpty();
    var kept = new ArrayList<AutoCloseable>();
    var garbage = new ArrayList<byte[]>();
    try {
      for (int i = 0; i < 50; i++) {
        kept.add(leak(i));
      }
      // More than all that others in this JVM can give back meanwhile.
      for (long bytes = 0; bytes < before.heap() + 2 * PIECE; bytes += PIECE) {
        garbage.add(new byte[PIECE]);
      }
      List<String> grown = before.grownTo(Footprint.now());
      assertThat(grown)
          .anyMatch(phrase -> phrase.contains("more descriptors"))
          .anyMatch(phrase -> phrase.contains("bytes of heap"))
          .anyMatch(phrase -> phrase.contains("bytes of native memory"));
      assertThat(garbage).isNotEmpty();
    } finally {
      for (AutoCloseable each : kept) {
        each.close();
      }
    }
  }

  private static AutoCloseable leak(int number) throws IOException {
    if (number % 2 == 0) {
      return Files.newInputStream(Path.of("/dev/null"));
    }
    NativeMemory memory = NativeMemory.allocate(8 << 20);
    memory.populate(1);
    return memory;
  }
}
