// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.ChildJvm;
import org.wridscope.Main;
import org.wridscope.TimeLimit;
import org.wridscope.control.qemu.QemuLab;

/** {@code lab --qemu}, with the QEMU of this machine if there is one. */
final class QemuLabTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Pattern ENDS =
      Pattern.compile("from QEMU (\\d+) at unix:(\\S+)/source.qmp to QEMU (\\d+) at unix:\\S+");
  private static final Pattern COUNTED =
      Pattern.compile(
          "The guest counted to ([\\d,]+) in QEMU (\\d+) and continues from ([\\d,]+) in QEMU"
              + " (\\d+), where it is at ([\\d,]+)\\.");

  @TempDir Path directory;

  static boolean isInstalled() {
    return QemuLab.program(System.getenv().getOrDefault("PATH", "")).isPresent();
  }

  private static MatchResult find(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
    return matcher.toMatchResult();
  }

  private static boolean isAlive(MatchResult ends, int group) {
    // What is left of a process whose parent does not wait for it has no command.
    return ProcessHandle.of(Long.parseLong(ends.group(group)))
        .flatMap(process -> process.info().command())
        .isPresent();
  }

  private static long number(MatchResult result, int group) {
    return Long.parseLong(result.group(group).replace(",", ""));
  }

  @Tag("qemu")
  @EnabledIf(value = "isInstalled", disabledReason = "the QEMU of this processor is not installed")
  @Test
  void theGuest_goesOnCounting_inTheOtherQemu_andNothingIsLeft() throws IOException {
    Path report = directory.resolve("report.json");
    CommandRun run =
        CommandRun.withPath(
            "lab",
            "--qemu",
            "--ram=64MiB",
            "--dirty-rate=10MiB/s",
            "--timeout=2min",
            "--report=" + report);
    assertThat(run.status()).as(run.err() + run.out()).isZero();
    assertThat(run.out()).startsWith("completed; verified: every RAM block is equal\n");
    MatchResult ends = find(ENDS, run.err());
    MatchResult counted = find(COUNTED, run.out());
    assertThat(List.of(counted.group(2), counted.group(4)))
        .containsExactly(ends.group(1), ends.group(3));
    assertThat(number(counted, 3)).isEqualTo(number(counted, 1) + 1);
    assertThat(number(counted, 5)).isGreaterThan(number(counted, 1));
    assertThat(isAlive(ends, 1) || isAlive(ends, 3)).isFalse();
    assertThat(Path.of(ends.group(2))).doesNotExist();
    JsonObject source = JsonParser.parseString(Files.readString(report)).getAsJsonObject();
    JsonObject machine = source.getAsJsonObject("machine");
    assertThat(machine.get("name").getAsString()).isEqualTo("QEMU " + ends.group(1));
    assertThat(machine.get("qmp").getAsString()).endsWith("/source.qmp");
    assertThat(machine.getAsJsonObject("dirty-log").get("scans").getAsLong()).isPositive();
    assertThat(
            source
                .getAsJsonObject("destination")
                .getAsJsonObject("machine")
                .get("name")
                .getAsString())
        .isEqualTo("QEMU " + ends.group(3));
  }

  /** Too little time for RAM: the guest must go on where it was. */
  @Tag("qemu")
  @EnabledIf(value = "isInstalled", disabledReason = "the QEMU of this processor is not installed")
  @Test
  void aMigrationThatFails_leavesTheGuestCounting_inTheFirstQemu() {
    CommandRun run =
        CommandRun.withPath("lab", "--qemu", "--ram=64MiB", "--bandwidth=1MiB/s", "--timeout=1s");
    assertThat(run.status()).as(run.err() + run.out()).isEqualTo(ExitCode.LIMIT.number());
    MatchResult ends = find(ENDS, run.err());
    assertThat(run.out())
        .contains("The guest keeps counting in QEMU %s, where it is at ".formatted(ends.group(1)));
    assertThat(isAlive(ends, 1) || isAlive(ends, 3)).isFalse();
  }

  @Tag("qemu")
  @EnabledIf(value = "isInstalled", disabledReason = "the QEMU of this processor is not installed")
  @Test
  void keep_leavesBothQemus_andSaysHowToEndThem() throws IOException, InterruptedException {
    CommandRun run =
        CommandRun.withPath(
            "lab", "--qemu", "--keep", "--ram=64MiB", "--dirty-rate=0", "--timeout=2min");
    MatchResult ends = find(ENDS, run.err());
    try {
      assertThat(run.status()).as(run.err() + run.out()).isZero();
      assertThat(isAlive(ends, 1) && isAlive(ends, 3)).isTrue();
    } finally {
      String command =
          "kill %s %s; rm -rf %s".formatted(ends.group(1), ends.group(3), ends.group(2));
      assertThat(run.err())
          .contains("Both QEMUs continue after this command. To end them: " + command + "\n");
      new ProcessBuilder("sh", "-c", command).start().waitFor();
    }
    new TimeLimit(LONG).await("both QEMUs to end", () -> !isAlive(ends, 1) && !isAlive(ends, 3));
    assertThat(Path.of(ends.group(2))).doesNotExist();
  }

  /** Nobody is left to end them. */
  @Tag("qemu")
  @EnabledIf(value = "isInstalled", disabledReason = "the QEMU of this processor is not installed")
  @Test
  void killed_endsBothQemus_andDeletesTheirFiles() throws IOException, InterruptedException {
    Path err = directory.resolve("err");
    List<String> command = ChildJvm.command(Main.class);
    command.addAll(List.of("lab", "--qemu", "--ram=64MiB", "--bandwidth=1MiB/s"));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(directory.resolve("out").toFile())
            .redirectError(err.toFile())
            .start();
    try {
      new TimeLimit(LONG)
          .await("the QEMUs", () -> !process.isAlive() || read(err).contains("  round 1"));
      assertThat(process.isAlive()).as(read(err)).isTrue();
    } finally {
      process.destroyForcibly().waitFor();
    }
    MatchResult ends = find(ENDS, read(err));
    new TimeLimit(LONG).await("both QEMUs to end", () -> !isAlive(ends, 1) && !isAlive(ends, 3));
    new TimeLimit(LONG)
        .await("their files to be deleted", () -> !Files.exists(Path.of(ends.group(2))));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void withoutAQemu_thePackageIsNamed() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--qemu");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            "wridscope: --qemu: %s is not installed; install the package %s.\n",
            QemuLab.PROGRAM, QemuLab.PACKAGE);
  }

  @Test
  void program_isTheFirstOnThePath() throws IOException {
    Path first = Files.createDirectory(directory.resolve("a"));
    Path second = Files.createDirectory(directory.resolve("b"));
    String path = "%s::%s".formatted(first, second);
    assertThat(QemuLab.program(path)).isEmpty();
    Path program = Files.createFile(second.resolve(QemuLab.PROGRAM));
    assertThat(QemuLab.program(path)).isEmpty();
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(QemuLab.program(path)).isEqualTo(Optional.of(program));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          qemu --zero=1%        | Unknown option: '--zero=1%'; --zero is an option of 'lab run'
          qemu --out=copy       | Unknown option: '--out=copy'; --out is an option of 'lab run'
          --qemu --release=on-completion | Unknown option: '--release=on-completion'; --release is an option of 'lab explore'
          qemu --ram=8MiB       | RAM: the guest that counts cannot have 8MiB; give it a multiple of 1 MiB from 16MiB to 2GiB.
          --keep                | Unknown option: '--keep'; --keep is an option of 'lab qemu'
          --dirty-log=compare   | Unknown option: '--dirty-log=compare'; --dirty-log is an option of 'lab qemu'
          """)
  void whatDoesNotBelongTogether_isRefused(String options, String sentence) {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, ("lab " + options).split(" "));
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("wridscope: " + sentence + "\n");
    assertThat(run.manager().labs()).isEmpty();
  }
}
