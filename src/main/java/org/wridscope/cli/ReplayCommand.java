// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonArray;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.Recording;
import org.wridscope.telemetry.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope replay}: what a recording says of how a migration went. */
@Command(
    name = "replay",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    description = {
      "Prints who was recorded, how it ended and the report, of a recording (--record) or a trace"
          + " log of QEMU. The window shows the same file in every view."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"  0:printed", "  1:the file cannot be understood", "  2:bad input"})
final class ReplayCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "FILE", description = "A recording, or a trace log of QEMU")
  private Path file = Path.of("");

  @Option(names = "--json", description = "Print the reports as a JSON array")
  private boolean json;

  ReplayCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    try (Recording recording = Recording.open("FILE", file)) {
      recording.notes().forEach(terminal::message);
      if (json) {
        var reports = new JsonArray();
        recording.sessions().stream()
            .map(session -> ReportJson.GSON.toJsonTree(session.report()))
            .forEach(reports::add);
        terminal.result(ReportJson.GSON.toJson(reports));
      } else {
        recording.sessions().forEach(this::print);
      }
      return ExitCode.COMPLETED.number();
    } catch (IllegalArgumentException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.USAGE.number();
    } catch (IOException e) {
      terminal.message("wridscope: " + e.getMessage());
      return ExitCode.FAILED.number();
    }
  }

  private void print(RecordedSession session) {
    terminal.result(
        "%s: %s%s"
            .formatted(
                session.name(),
                session.status().qemuName(),
                session.outcome() == null ? "" : ". " + session.outcome()));
    terminal.result("  %-14s %s on %s".formatted("URI", session.uri(), session.device()));
    terminal.result(
        "  %-14s %s, %s, %s events"
            .formatted(
                "recorded",
                session.start(),
                Format.duration(session.lastNanos() - session.firstNanos()),
                Format.count(session.events())));
    Summary.lines(session.report(), null).forEach(terminal::result);
  }
}
