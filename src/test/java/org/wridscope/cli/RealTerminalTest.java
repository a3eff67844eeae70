// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.ChildJvm;
import org.wridscope.Main;
import org.wridscope.Slow;

/** The program in a pseudo-terminal, as a user runs it. */
@Slow("the program runs in a terminal, as a process of its own")
final class RealTerminalTest {
  @TempDir Path directory;

  /** Runs the program through script(1), and returns what it wrote to the terminal. */
  private String run(int status, String... args) throws IOException, InterruptedException {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/script")),
        "script(1), which opens a pseudo-terminal, is not installed");
    List<String> words = ChildJvm.command(Main.class, "-Xmx512m");
    String command =
        Stream.concat(words.stream(), Stream.of(args))
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    Path output = directory.resolve("output");
    var builder =
        new ProcessBuilder("/usr/bin/script", "-qec", command, "/dev/null")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("TERM", "xterm");
    builder.environment().remove("NO_COLOR");
    Process process = builder.start();
    try {
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as(text).isEqualTo(status);
    return text;
  }

  @Test
  void explore_redrawsOneLine_andPrintsTheResultInGreen() throws Exception {
    String text = run(0, "lab", "--explore=4", "--seed=3");
    assertThat(text)
        .contains("0 of 4 runs\u001b[K", "4 of 4 runs: ")
        // Each redraw moves the cursor up to the same line.
        .contains("\r\u001b[1A\u001b[?7l1 of 4 runs: ")
        .containsPattern("\u001b\\[32m4 runs in [^\u001b]*; 0 broke an invariant\u001b\\[0m");
    // The last redrawn line is erased before the result.
    assertThat(text.substring(text.lastIndexOf("4 of 4 runs")))
        .containsSubsequence("\u001b[1A", "\u001b[J", "4 runs in ");
  }

  @Test
  void aBadOption_isOneLineWithoutControlSequences() throws Exception {
    assertThat(run(2, "lab", "--explore=0"))
        .isEqualTo("wridscope: NUMBER: 0 is too few; write at least 1.\r\n");
  }
}
