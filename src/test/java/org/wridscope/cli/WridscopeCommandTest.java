// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.SessionManager;

final class WridscopeCommandTest {

  @ParameterizedTest
  @ValueSource(strings = {"DISPLAY", "WAYLAND_DISPLAY"})
  void withoutArguments_display_opensTheWindow(String variable) {
    List<SessionManager> opened = new ArrayList<>();
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS, (manager, _) -> opened.add(manager), Map.of(variable, ":0"));
    assertThat(run.status()).isZero();
    assertThat(opened).containsExactly(run.manager());
    assertThat(run.manager().closed()).isTrue();
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void withoutArguments_noDisplay_saysSoAndMigratesInTheTerminal() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, CommandRun.NO_WINDOW, Map.of("DISPLAY", ""));
    assertThat(run.status()).isZero();
    assertThat(run.err().lines())
        .first()
        .isEqualTo(
            "wridscope: there is no display (DISPLAY is not set), so the migration runs in the"
                + " terminal, as with 'wridscope lab'.");
    assertThat(run.manager().labs())
        .isEqualTo(CommandRun.of(CommandRun.SUCCESS, "lab").manager().labs());
    assertThat(run.out()).contains("verified: every RAM block is equal");
  }

  @Test
  void withoutArguments_displayThatDoesNotAnswer_saysSoAndMigratesInTheTerminal() {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            (_, _) -> {
              throw new IllegalStateException(
                  new UnsupportedOperationException("Unable to open DISPLAY"));
            },
            Map.of("DISPLAY", ":99"));
    assertThat(run.status()).isZero();
    assertThat(run.err()).startsWith("wridscope: the display :99 does not respond, so");
    assertThat(run.manager().labs()).hasSize(1);
  }

  @Test
  void withoutArguments_windowThatFails_keepsItsStackTrace() {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            (_, _) -> {
              throw new UnsupportedOperationException("no such control");
            },
            Map.of("DISPLAY", ":0"));
    assertThat(run.status()).isEqualTo(70);
    assertThat(run.err()).contains("no such control", "\tat ");
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void files_areOpenedInTheWindow(@TempDir Path directory) throws IOException {
    Path first = Files.createFile(directory.resolve("lab.wrs"));
    Path second = Files.createFile(directory.resolve("lab"));
    List<Path> opened = new ArrayList<>();
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            (_, files) -> opened.addAll(files),
            Map.of("DISPLAY", ":0"),
            first.toString(),
            second.toString());
    assertThat(run.status()).isZero();
    assertThat(opened).containsExactly(first, second);
  }

  @Test
  void files_withoutADisplay_areNotReplacedByAMigration(@TempDir Path directory)
      throws IOException {
    Path file = Files.createFile(directory.resolve("lab.wrs"));
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, file.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("'wridscope replay %s' summarizes it here.".formatted(file));
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void scenarioFile_withoutADisplay_isRunByLab(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("mine.json"), "{\"title\": \"Mine\"}");
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, file.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("'wridscope lab %s' runs it here.".formatted(file));
  }

  @Test
  void files_thatCannotBeRead_areNamed() {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS, CommandRun.NO_WINDOW, Map.of("DISPLAY", ":0"), "missing.wrs");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("wridscope: FILE: \"missing.wrs\" cannot be read; name a ");
  }

  @Test
  void files_beforeACommand_areRefused() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab.wrs", "lab");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("wridscope: lab.wrs: write it after 'lab'.");
    assertThat(run.manager().labs()).isEmpty();
  }

  @Test
  void version_isOneLine() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "--version");
    assertThat(run.status()).isZero();
    assertThat(run.out()).matches("wridscope \\S.*\\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "lab ", "bench "})
  void help_listsEveryExitCode(String command) {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, (command + "--help").split(" "));
    assertThat(run.status()).isZero();
    for (ExitCode code : ExitCode.values()) {
      assertThat(run.out()).contains(code.number() + "   " + code.description());
    }
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @EnumSource
  void readme_listsEveryExitCode(ExitCode code) throws IOException {
    assertThat(Files.readString(Path.of("README.md")))
        .contains("| %d | %s |".formatted(code.number(), code.description()));
  }

  @Test
  void unknownCommand_isRefusedWithWhatWasProbablyMeant() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lap");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo(
            """
            wridscope: "lap" is neither a command nor a file; did you mean lab or replay or explain?
            Try 'wridscope --help'.
            """);
  }
}
