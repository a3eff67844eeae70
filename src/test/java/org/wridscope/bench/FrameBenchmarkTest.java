// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.SessionManager;

final class FrameBenchmarkTest {
  @TempDir private Path directory;

  /** Measures with a program in place of the virtual machine. */
  private FrameBenchmark.Results run(String program) throws Exception {
    Path file = Files.writeString(directory.resolve("java"), "#!/bin/sh\n" + program);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    try (SessionManager manager = new LocalSessions();
        var benchmark =
            new FrameBenchmark(
                new BenchmarkRounds(manager, () -> false, _ -> {}),
                new ProgramLaunch(file, List.of(), "a.jar"),
                false,
                1 << 20)) {
      return benchmark.run(2);
    }
  }

  @Test
  void framesOfEachView_andWhatIsSlow_areRead_amongOtherLines() throws Exception {
    FrameBenchmark.Results results =
        run(
            """
            echo "WARNING: something of JavaFX"
            printf 'frames\\tOverview\\t61\\t4.10\\t20.00\\t60.50\\t71.25\\t12.00\\t2\\t0\\n'
            printf 'frames\\tLog\\t7\\t0.10\\t0.20\\t0.30\\t0.40\\t0.20\\t0\\t0\\n'
            printf 'slow\\t3\\torg.wridscope.ui.A.b(A.java:1), in javafx.C.d(C.java:2)\\n'
            printf 'frames\\tcut\\n'
            printf 'arguments: %s\\n' "$*" > "$(dirname "$0")/arguments"
            """);
    assertThat(results.views())
        .containsExactly(
            new FrameBenchmark.View("Overview", 61, 4.1, 20, 60.5, 71.25, 12, 2, 0),
            new FrameBenchmark.View("Log", 7, 0.1, 0.2, 0.3, 0.4, 0.2, 0, 0));
    assertThat(results.slow())
        .containsExactly(
            new FrameBenchmark.Slow(3, "org.wridscope.ui.A.b(A.java:1), in javafx.C.d(C.java:2)"));
    assertThat(directory.resolve("arguments"))
        .content()
        .contains("-Dglass.platform=Headless", "org.wridscope.bench.window.FrameTrial 1048576 2");
    assertThat(FrameBenchmark.table(results))
        .anyMatch(line -> line.matches("Overview +61 +4\\.1 +20\\.0 +60\\.5 +71\\.3 +12\\.0 +2 +0"))
        .anyMatch(line -> line.contains("3 times in long frames: org.wridscope.ui.A.b"));
  }

  @Test
  void windowThatFails_isQuoted() {
    assertThatThrownBy(() -> run("echo 'there are no fonts'; exit 3"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended with the exit status 3")
        .hasMessageContaining("no fonts");
    assertThatThrownBy(() -> run("echo 'a migration did not complete'"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not measured: a migration did not complete");
  }
}
