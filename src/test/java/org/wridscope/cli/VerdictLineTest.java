// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.Slow;
import org.wridscope.ui.sessions.StatusText;

/** The command line, exports and the window say the same of a bad ending. */
@Slow("scenarios with dozens of migrations")
final class VerdictLineTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "retransmission-exposed, 2, 'At the source, buffers were reused before'",
    "virtqueue-used-index-as-base, 1, virtio-"
  })
  void harm_comesFirst(String scenario, int migration, String harm) throws IOException {
    Path file = directory.resolve("harm.wrs");
    CommandRun lab = CommandRun.real("lab", scenario, "--record=" + file);
    assertThat(lab.status()).as(lab.err()).isZero();
    String line = verdict(lab);
    assertThat(line).startsWith(StatusText.UNSOUND.text() + ": " + harm);
    assertThat(line).endsWith(" The guest runs at the destination. Its RAM is equal at both ends.");
    CommandRun replay = CommandRun.real("replay", file.toString());
    assertThat(verdict(replay)).isEqualTo(line);
    Path page = directory.resolve("harm.html");
    assertThat(
            CommandRun.real("export", file.toString(), "--migration=" + migration, "--out=" + page)
                .status())
        .isZero();
    assertThat(Files.readString(page)).contains(">" + StatusText.UNSOUND.text() + "</span>");
  }

  /** The first bad verdict; a scenario may have several runs. */
  private static String verdict(CommandRun run) {
    return run.out()
        .lines()
        .map(line -> line.replaceFirst("^run \\d+: ", ""))
        .filter(line -> line.startsWith(StatusText.UNSOUND.text()))
        .findFirst()
        .orElseThrow(() -> new AssertionError(run.out()));
  }
}
