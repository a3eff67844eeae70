// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonArray;
import java.io.IOException;
import org.wridscope.recording.RecordedSession;
import org.wridscope.recording.Recording;
import org.wridscope.text.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code wridscope replay}: prints the results of a recorded migration. */
@Command(
    name = "replay",
    description = {
      "Prints the sessions, the outcome and the report of a recording (--record) or of a trace log"
          + " of QEMU. To see all views, open the same file in the window."
    },
    exitCodeList = {"  0:printed", "  1:the file cannot be read", "  2:bad input"})
final class ReplayCommand extends TerminalCommand {

  @Mixin private final RecordingParameter file = new RecordingParameter();

  @Option(names = "--json", description = "Print the reports as a JSON array")
  private boolean json;

  ReplayCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    try (Recording recording = file.open(terminal)) {
      if (json) {
        var reports = new JsonArray();
        recording.sessions().stream()
            .map(session -> ReportJson.GSON.toJsonTree(session.report()))
            .forEach(reports::add);
        terminal.result(ReportJson.GSON.toJson(reports));
      } else {
        recording.sessions().forEach(this::print);
      }
      return ExitCode.COMPLETED;
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
