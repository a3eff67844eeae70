// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CompletionCommandTest {
  @TempDir Path directory;

  private Path script(String shell) throws IOException {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "completion", shell);
    assertThat(run.status()).isZero();
    return Files.writeString(directory.resolve("completion"), run.out());
  }

  private static String output(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  @Test
  void bash_completesCommandsAndOptions() throws IOException, InterruptedException {
    String script =
        "source "
            + script("bash")
            + "; COMP_WORDS=(%s); COMP_CWORD=%d;"
            + " _complete_wridscope; echo \"${COMPREPLY[*]}\"";
    assertThat(output("bash", "-c", script.formatted("wridscope la", 1))).contains("lab");
    assertThat(output("bash", "-c", script.formatted("wridscope lab --metrics-f", 2)))
        .contains("--metrics-file");
  }

  @Test
  void fish_completesCommandsAndOptions() throws IOException, InterruptedException {
    Path script = script("fish");
    assertThat(Files.readString(script))
        .contains("-n __fish_use_subcommand -a lab -d 'Migrates a guest from a source to")
        .contains("-n '__fish_seen_subcommand_from lab' -l ram -r -d ");
    Assumptions.assumeTrue(isInstalled("fish"), "fish is missing");
    assertThat(output("fish", "-c", "source %s; complete -C 'wridscope la'".formatted(script)))
        .startsWith("lab\t");
  }

  @Test
  void zsh_takesTheScriptOfBash() throws IOException {
    List<String> zsh = Files.readAllLines(script("zsh"));
    assertThat(zsh.getFirst()).isEqualTo("#compdef wridscope");
    assertThat(zsh.subList(1, zsh.size())).isEqualTo(Files.readAllLines(script("bash")));
  }

  @Test
  void anotherShell_isRefused() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "completion", "tcsh");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("'tcsh'");
  }
}
