// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonArray;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Endings;
import org.wridscope.recording.RecordedMigration;
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
          + " of QEMU, and what it means if the end was not recorded. To see all views, open the"
          + " same file in the window."
    },
    exitCodeList = {"  0:printed", "  1:the file cannot be read", "  2:bad input"})
final class ReplayCommand extends TerminalCommand {

  @Mixin private final RecordingParameter file = new RecordingParameter();

  @Mixin private final EndOption end = new EndOption();

  @Option(names = "--json", description = "Print the reports as a JSON array")
  private boolean json;

  ReplayCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    try (Recording recording = file.open(terminal, end)) {
      if (json) {
        var reports = new JsonArray();
        recording.sessions().stream()
            .map(session -> ReportJson.GSON.toJsonTree(session.report()))
            .forEach(reports::add);
        terminal.result(ReportJson.GSON.toJson(reports));
      } else {
        recording.sessions().forEach(this::print);
        for (RecordedMigration migration :
            RecordedMigration.find(List.of(recording), new ArrayList<>())) {
          explain(migration);
        }
      }
      return ExitCode.COMPLETED;
    }
  }

  /** Explains a migration whose end was not recorded. */
  private void explain(RecordedMigration migration) throws IOException {
    RecordedSession source = migration.source();
    RecordedSession destination = migration.destination();
    if (Endings.of(source, destination) != null) {
      return;
    }
    long last =
        Stream.of(source, destination)
            .filter(Objects::nonNull)
            .mapToLong(RecordedSession::lastNanos)
            .max()
            .orElse(0);
    Explanation explanation =
        Explainer.explain(requests(source), requests(destination), last, null);
    if (explanation.steps().isEmpty()) {
      return;
    }
    terminal.result("explanation: " + explanation.headline() + " " + explanation.summary());
    for (Explanation.Step step : explanation.steps()) {
      terminal.result(
          "  %-14s %s".formatted(step.role().name().toLowerCase(Locale.ROOT), step.text()));
    }
    if (!explanation.remedy().isEmpty()) {
      terminal.result("  %-14s %s".formatted("remedy", explanation.remedy()));
    }
  }

  private static @Nullable Requests requests(@Nullable RecordedSession session) throws IOException {
    if (session == null) {
      return null;
    }
    var requests = new Requests(session.telemetry());
    session.forEachEvent(requests::take);
    return requests;
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
        "  %-14s %s, %s events"
            .formatted(
                "recorded",
                session.isTimed()
                    ? session.start()
                        + ", "
                        + Format.duration(session.lastNanos() - session.firstNanos())
                    : "without times",
                Format.count(session.events())));
    Summary.lines(session.report(), null).forEach(terminal::result);
  }
}
