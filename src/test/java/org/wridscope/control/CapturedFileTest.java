// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that start a captured guest work with every file name. */
final class CapturedFileTest {
  @TempDir private Path directory;

  private static String shell(String command) throws IOException {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"guest", "my guest", "it's", "a\"b", "$HOME;echo `id`", "-n", "a\\b", "x\ny", "*"})
  void commands_reachTheFile_throughEveryShell(String name) throws IOException {
    Path path = directory.resolve(name);
    Files.writeString(path, "the guest in " + name);
    var file = new CapturedFile(path);
    // The shell passes the option to QEMU, which passes the text after "exec:" to another shell.
    String option = shell("set -- " + file.qemuOption() + "; printf %s \"$1|$2\"");
    assertThat(option).startsWith("-incoming|exec:cat ");
    assertThat(shell(option.substring("-incoming|exec:".length())))
        .isEqualTo("the guest in " + name);
    assertThat(shell("set -- " + file.restoreCommand() + "; printf %s \"$5\""))
        .isEqualTo(path.toString());
  }
}
