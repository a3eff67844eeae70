// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What cannot be resolved; {@code ResolveTest} resolves. */
final class ResolveCommandTest {
  @TempDir private Path folder;

  private static CommandRun resolve(String... args) {
    return CommandRun.of(
        CommandRun.SUCCESS,
        Stream.concat(Stream.of("resolve"), Stream.of(args)).toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | Name either the address of a Wridscope, or a QEMU",
        "unix:/a --qemu unix:/b | Name either the address of a Wridscope, or a QEMU",
        "--qemu unix:/b --session x | --session: it has no effect with --qemu",
        "unix:/a --other-end fine | --other-end: 'fine' is not known",
        "nowhere:1 | nowhere:1"
      })
  void badInput_isOneSentenceAndExitCode2(String options, String sentence) {
    CommandRun run = resolve(options.isEmpty() ? new String[0] : options.split(" "));
    assertThat(run.status()).as(run.err()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.err().strip().lines()).singleElement().asString().contains(sentence);
  }

  @Test
  void nobodyThere_isSaid() {
    CommandRun run = resolve("unix:" + folder.resolve("none"));
    assertThat(run.status()).isEqualTo(ExitCode.FAILED.number());
    assertThat(run.err().strip().lines()).hasSize(1);
  }
}
