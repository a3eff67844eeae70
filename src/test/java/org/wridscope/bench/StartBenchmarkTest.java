// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.ChildJvm;
import org.wridscope.Slow;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;

@Slow("the program is started again and again, as a process of its own")
final class StartBenchmarkTest {
  private static final long RAM = 16L << 20;

  private final List<String> progress = new ArrayList<>();

  private static ProgramLaunch launch(String... options) {
    ChildJvm.Classes classes = ChildJvm.classes();
    var all = new ArrayList<>(classes.archive());
    all.addAll(List.of(options));
    return new ProgramLaunch(
        Path.of(System.getProperty("java.home"), "bin", "java"), all, classes.path());
  }

  private StartBenchmark.Results run(ProgramLaunch plain, ProgramLaunch cached)
      throws IOException, InterruptedException {
    try (SessionManager manager = new LocalSessions();
        var benchmark =
            new StartBenchmark(
                new BenchmarkRounds(manager, () -> false, progress::add),
                plain,
                cached,
                false,
                RAM)) {
      return benchmark.run(0, 1);
    }
  }

  /** In the place of a virtual machine: prints and writes what the program does, in no time. */
  private static ProgramLaunch pretended(Path directory) throws IOException {
    Path script = directory.resolve("java");
    Files.writeString(
        script,
        """
        #!/bin/sh
        case "$*" in
          *' --version') echo wridscope 1 ;;
          *StartTrial) printf 'first-frame\\nusable 0\\n' ;;
          *) for report; do :; done
             echo '{"downtime-phases": {"stop": 1.5, "last pages": 7, "start": 2}}' >"$report" ;;
        esac
        """);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return new ProgramLaunch(script, List.of(), "none");
  }

  @Test
  void eachStart_isMeasuredWithBothLaunches(@TempDir Path directory) throws Exception {
    ProgramLaunch fast =
        launch("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED");
    StartBenchmark.Results results = run(fast, pretended(directory));
    assertThat(results.results())
        .extracting(StartBenchmark.Start::name)
        .containsExactly(
            "version", "window-first-frame", "window-usable", "first-downtime-without-last-pages");
    assertThat(results.results())
        .allSatisfy(start -> {
          assertThat(start.plainMillis()).isPositive();
          assertThat(start.cachedMillis()).isPositive();
          // Rounded: a start beside other JVMs may take thousands of times as long.
          assertThat(start.ratio()).isBetween(0.0, 1.0);
        });
    StartBenchmark.Start first = results.results().get(1);
    StartBenchmark.Start usable = results.results().get(2);
    assertThat(usable.plainMillis()).isGreaterThanOrEqualTo(first.plainMillis());
    assertThat(results.results().getLast().cachedMillis()).isEqualTo(3.5);
    assertThat(progress).contains("1 of 1: window-cached");
  }

  @Test
  void startThatFails_endsItAndIsQuoted() {
    assertThatThrownBy(() -> run(launch("-XX:NoSuchOption"), launch()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended with the exit status 1")
        .hasMessageContaining("NoSuchOption");
  }

  @Test
  void cache_thatIsMissing_isNamedWithWhatMakesIt(@TempDir Path directory) {
    ProgramLaunch none =
        new ProgramLaunch(
            Path.of("java"), List.of(), directory.resolve("wridscope.jar").toString());
    assertThatThrownBy(none::cached)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--start: there is no cache")
        .hasMessageContaining("packaging/aot-cache java");
  }

  @Test
  void aProgramThatTakesTooLong_isEnded_andSaidToBe(@TempDir Path directory) throws Exception {
    try (SessionManager manager = new LocalSessions()) {
      var runs =
          new ProgramRuns(
              new BenchmarkRounds(manager, () -> false, progress::add), directory, false);
      assertThatIOException()
          .isThrownBy(() -> runs.run(List.of("sh", "-c", "echo begun; exec sleep 600"), _ -> {}, 0))
          .withMessageStartingWith("sh -c echo begun; exec sleep 600 took longer than 0 s");
    }
  }
}
