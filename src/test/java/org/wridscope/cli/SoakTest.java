// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.Footprint;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;
import org.wridscope.control.doctor.ThisMachine;
import org.wridscope.memory.NativeMemory;
import org.wridscope.verbs.soft.SoftFabric;

/** {@code lab --soak}: many migrations in one process leave nothing behind. */
final class SoakTest {
  private record Run(int status, String out, String err) {}

  private static Run run(Supplier<SessionManager> managers, String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var terminal =
        new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false,
            true);
    int status =
        WridscopeCommand.run(
            args,
            managers,
            CommandRun.NO_WINDOW,
            Map.of(),
            terminal,
            FreeMemory.HERE,
            new ThisMachine());
    return new Run(
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void fortyMigrations_leaveNothingBehind() {
    Run run = run(LocalSessions::new, "lab", "--soak=40");
    assertThat(run.status).as("%s%s", run.out, run.err).isZero();
    assertThat(run.out).contains("nothing grew").contains("tolerated: ");
    // The head, a line after the tenth and ten more.
    assertThat(run.out.lines().filter(line -> line.matches(" +[0-9]+ .*"))).hasSize(11);
  }

  /** A page of memory and a protection domain are found, however few the migrations. */
  @Test
  void theLeastThatIsLeft_isFound() throws Exception {
    var kept = new ArrayList<AutoCloseable>();
    try (var device = new SoftFabric().open("leaking")) {
      Run run =
          run(
              () -> {
                kept.add(leaked(() -> NativeMemory.allocate(1)));
                kept.add(leaked(device::allocateProtectionDomain));
                return new LocalSessions();
              },
              "lab",
              "--soak=11");
      assertThat(run.status).isEqualTo(ExitCode.FAILED.number());
      assertThat(run.out)
          .contains("after 11 runs 1 of this is left: byte of own memory")
          .contains("after 11 runs 1 of this is left: protection domain")
          .doesNotContain("left: memory region", "left: queue pair");
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

  @ParameterizedTest
  @ValueSource(strings = {"--soak=10", "--soak=-1", "--soak=20 --ram=1GiB"})
  void whatCannotBe_isRefused(String options) {
    var args = new ArrayList<>(List.of("lab"));
    args.addAll(List.of(options.split(" ")));
    Run run = run(LocalSessions::new, args.toArray(String[]::new));
    assertThat(run.status).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err).contains("--soak");
  }

  /** That the comparison finds what it is for. */
  @Test
  void whatIsLeftBehind_isFound() throws Exception {
    Footprint before = Footprint.now();
    assertThat(before.grownTo(before)).isEmpty();
    var kept = new ArrayList<AutoCloseable>();
    var garbage = new byte[1][];
    try {
      for (int i = 0; i < 50; i++) {
        kept.add(leak(i));
      }
      garbage[0] = new byte[32 << 20];
      List<String> grown = before.grownTo(Footprint.now());
      assertThat(grown)
          .anyMatch(phrase -> phrase.contains("more descriptors"))
          .anyMatch(phrase -> phrase.contains("bytes of heap"))
          .anyMatch(phrase -> phrase.contains("bytes of native memory"));
      assertThat(garbage[0]).isNotNull();
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
