// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import com.google.gson.JsonArray;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.Ending;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.ProgramAnalysis;
import org.wridscope.analysis.Requests;
import org.wridscope.control.Endings;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.text.Format;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope replay}: prints the results of a recorded migration. */
@Command(
    description = {
      "Prints the sessions, the outcome and the report of a recording (--record), of captured"
          + " packets or of a trace log of QEMU, and what it means if the end was not recorded. To"
          + " see all views, open the same file in the window."
    },
    exitCodeList = {"  0:printed", "  1:the file cannot be read", "  2:bad input"})
final class ReplayCommand extends TerminalCommand {

  @Parameters(
      arity = "1..2",
      paramLabel = RecordingParameter.NAME,
      description =
          "A recording, captured packets (.pcap, .pcapng) or a trace log of QEMU, or two: one of"
              + " each end")
  private List<Path> files = List.of();

  @Mixin private final EndOption end = new EndOption();

  @Mixin private final WridsOption wrids = new WridsOption();

  @Option(
      names = "--json",
      description = "Print the reports, and the counts of programs, as a JSON array")
  private boolean json;

  ReplayCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    wrids.read();
    List<Recording> recordings = end.open(files);
    try {
      recordings.forEach(each -> each.notes().forEach(terminal::message));
      List<RecordedSession> sessions =
          recordings.stream().flatMap(each -> each.sessions().stream()).toList();
      wrids.apply(sessions);
      if (json) {
        var reports = new JsonArray();
        for (RecordedSession session : sessions) {
          reports.add(
              session.migrates()
                  ? ReportJson.GSON.toJsonTree(session.report())
                  : ProgramJson.of(session.name(), session.outcome(), readAll(session)));
        }
        terminal.result(ReportJson.GSON.toJson(reports));
      } else {
        var notes = new ArrayList<String>();
        List<RecordedMigration> migrations = RecordedMigration.find(recordings, notes);
        notes.forEach(terminal::message);
        print(migrations);
      }
      return ExitCode.COMPLETED;
    } finally {
      for (Recording each : recordings) {
        each.close();
      }
    }
  }

  private void print(List<RecordedMigration> migrations) throws IOException {
    for (int i = 0; i < migrations.size(); i++) {
      if (migrations.size() > 1) {
        terminal.result((i == 0 ? "" : "\n") + "migration " + (i + 1));
      }
      print(migrations.get(i));
    }
  }

  /** The verdict, the sessions, and an explanation if the end was not recorded. */
  private void print(RecordedMigration migration) throws IOException {
    RecordedSession leading = sessions(migration).findFirst().orElseThrow();
    if (!leading.migrates()) {
      print(leading);
      return;
    }
    Ending ending = Endings.of(migration.source(), migration.destination());
    if (ending != null) {
      terminal.result(colour(ending), ending.headline());
    }
    for (RecordedSession session : sessions(migration).toList()) {
      print(session, ending);
    }
    // What a QEMU said needs an explanation; Wridscope's own words do not.
    if (ending == null || (leading.ofQemu() && ending.state() == Explanation.State.FAILED)) {
      explain(migration.source(), migration.destination(), ending);
    }
  }

  /** The results of a program that is not ours. */
  private void print(RecordedSession program) throws IOException {
    String outcome = program.outcome();
    terminal.result("%s%s".formatted(program.name(), outcome == null ? "" : ": " + outcome));
    recorded(program);
    Requests requests = readAll(program);
    ProgramSummary.lines(requests).forEach(terminal::result);
    DeviceSummary.lines(List.of(requests)).forEach(terminal::result);
    Summary.lines(ProgramAnalysis.findings(requests, requests.lastNanos()), List.of())
        .forEach(terminal::result);
  }

  private static Terminal.Colour colour(Ending ending) {
    return switch (ending.state()) {
      case COMPLETED -> Terminal.Colour.GOOD;
      case UNSOUND -> Terminal.Colour.DOUBTFUL;
      default -> Terminal.Colour.BAD;
    };
  }

  private static Stream<RecordedSession> sessions(RecordedMigration migration) {
    return Stream.concat(
        Stream.ofNullable(migration.source()), Stream.ofNullable(migration.destination()));
  }

  private void explain(
      @Nullable RecordedSession source,
      @Nullable RecordedSession destination,
      @Nullable Ending ending)
      throws IOException {
    long last =
        Stream.of(source, destination)
            .filter(Objects::nonNull)
            .mapToLong(RecordedSession::lastNanos)
            .max()
            .orElse(0);
    Explanation explanation =
        Explainer.explain(requests(source), requests(destination), last, ending);
    boolean said = ending != null && explanation.headline().equals(ending.sentence());
    String text = ((said ? "" : explanation.headline()) + " " + explanation.summary()).strip();
    if (explanation.steps().isEmpty() || text.isEmpty()) {
      return;
    }
    terminal.result("explanation: " + text);
    for (Explanation.Step step : explanation.steps()) {
      terminal.result("  %-14s %s".formatted(step.role().text(), step.text()));
    }
    if (!explanation.remedy().isEmpty()) {
      terminal.result("  %-14s %s".formatted("remedy", explanation.remedy()));
    }
  }

  private static @Nullable Requests requests(@Nullable RecordedSession session) throws IOException {
    return session == null ? null : readAll(session);
  }

  private static Requests readAll(RecordedSession session) throws IOException {
    var requests = new Requests(session.telemetry());
    session.forEachEvent(requests::take);
    return requests;
  }

  /** The results of one end, without an outcome that the verdict contains. */
  private void print(RecordedSession session, @Nullable Ending ending) throws IOException {
    String outcome = session.outcome();
    boolean said = outcome == null || (ending != null && ending.sentence().contains(outcome));
    terminal.result(
        "%s: %s%s".formatted(session.name(), status(session), said ? "" : ". " + outcome));
    terminal.result(
        "  %-14s %s%s"
            .formatted(
                "URI",
                session.uri().equals("rdma:") ? "not known," : session.uri(),
                session.ofCapture() ? "" : " on " + session.device()));
    recorded(session);
    Summary.lines(session.report(), null).forEach(terminal::result);
    if (session.status().isEnd()) {
      Requests requests = readAll(session);
      DeviceSummary.lines(List.of(requests)).forEach(terminal::result);
      List<Finding> findings = Findings.of(requests, session.report().downtimePhases());
      Summary.lines(findings, List.of()).forEach(terminal::result);
    }
  }

  private void recorded(RecordedSession session) {
    if (session.ofCapture()) {
      terminal.result("  %-14s %s".formatted("device", session.deviceReason()));
    }
    terminal.result(
        "  %-14s %s, %s events"
            .formatted(
                "recorded",
                session.isTimed()
                    ? session.start() + ", " + duration(session)
                    : session.measuresTime()
                        ? "without a date, " + duration(session)
                        : "without times",
                Format.count(session.events())));
  }

  private static String duration(RecordedSession session) {
    return Format.duration(session.lastNanos() - session.firstNanos());
  }

  /** A log of QEMU that is cut may show no status; that of a Wridscope is always recorded. */
  private static String status(RecordedSession session) {
    return session.ofQemu() && session.status() == MigrationStatus.NONE
        ? "its status is not known, because the log has no event that shows it"
        : session.status().qemuName();
  }
}
