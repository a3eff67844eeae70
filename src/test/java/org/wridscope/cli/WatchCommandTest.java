// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code watch} accepts. */
final class WatchCommandTest {
  @TempDir Path directory;

  private static CommandRun watch(String... options) {
    return CommandRun.real(
        Stream.concat(Stream.of("watch"), Stream.of(options)).toArray(String[]::new));
  }

  private static void requireRefused(CommandRun run, String part) {
    assertThat(run.err()).contains(part).hasLineCount(1);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "qmp:vm.qmp | write unix:PATH",
        "qmp:tcp:h:0 | with a port from 1 to 65535",
        "qmp:/run/a no-such-file | write qmp: before it",
        "no-such-file | a QEMU is named with qmp: before its address",
        "qmp:/run/a --end=source | leave it out; each QEMU says itself",
        "--put-back qmp:/run/a | --put-back: leave it out",
      })
  void badInput_isOneSentence(String options, String part) {
    requireRefused(watch(options.split(" ")), part);
  }

  @Test
  void nothingToWatch_isSaid() {
    requireRefused(watch(), "Name what to watch");
  }

  @Test
  void directoryAndFile_areRefused() throws Exception {
    Path log = Files.writeString(directory.resolve("log"), "");
    requireRefused(
        watch(directory.toString(), log.toString()), "is a directory; name nothing else");
    requireRefused(
        watch(directory.toString(), "--end=source"), "is a directory; name nothing else");
  }

  @Test
  void recordingOverTheLog_isRefused() throws Exception {
    Path log = Files.writeString(directory.resolve("log"), "");
    requireRefused(watch(log.toString(), "--record", log.toString()), "--record");
    assertThat(log).isEmptyFile();
  }

  @Test
  void qemuThatDoesNotAnswer_isSaid() {
    CommandRun run = watch("qmp:" + directory.resolve("none"));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("No QMP greeting from unix:");
  }
}
