// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.qemu.QemuTraceEvent;
import org.wridscope.recording.qemu.QemuTraceText;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Role;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code wridscope trace}: writes a recording as QEMU's trace events. */
@Command(
    description = {
      "Writes the events of a recording as the trace lines that QEMU 7.2 would write"
          + " (qemu_rdma_post_send_control, qemu_rdma_poll_write and so on). Which lines are"
          + " derived, and which are never written, is listed below.",
      "",
      "To compare a migration with one of QEMU, convert QEMU's trace log, too:",
      "  wridscope trace --comparable ours.wrs --end source > ours.txt",
      "  wridscope trace --comparable qemu.source.log > theirs.txt",
      "  diff ours.txt theirs.txt"
    },
    exitCodeList = {"  0:written", "  1:the file cannot be read", "  2:bad input"})
final class TraceCommand extends TerminalCommand {

  @Mixin private final RecordingParameter file = new RecordingParameter();

  @Option(
      names = "--end",
      paramLabel = "END",
      description =
          "source or destination; required if the file has both, or if it is a trace log whose"
              + " events do not show its end")
  private @Nullable String end;

  @Mixin private final MigrationOption which = new MigrationOption();

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "The file to write; default: standard output")
  private @Nullable Path out;

  @Option(names = ForceOption.NAME, description = "Replace an existing file if it is a trace log")
  private boolean force;

  @Option(names = "--no-times", description = "Leave out the thread and the time before each line")
  private boolean noTimes;

  @Option(
      names = "--comparable",
      description =
          "Leave out what differs from run to run: no times, 0 for each key, and addresses relative"
              + " to the RAM block")
  private boolean comparable;

  @Option(
      names = "--all",
      description = "Also write events without a trace event in QEMU, as wridscope_...")
  private boolean all;

  TraceCommand(Terminal terminal) {
    super(terminal);
  }

  /** Adds the lists of events to the help. */
  @Spec
  void setCommand(CommandSpec command) {
    command
        .usageMessage()
        .footerHeading(
            "%nOf the "
                + QemuTraceEvent.values().length
                + " trace events of QEMU 7.2 in migration/rdma.c:%n")
        .footer(footer());
  }

  private static String[] footer() {
    var text = new ArrayList<String>();
    text.add("Written from what was recorded: all that are not listed here, except as noted:");
    list(QemuTraceEvent.Writing.RECORDED, text);
    text.add("");
    text.add("Derived:");
    list(QemuTraceEvent.Writing.DERIVED, text);
    text.add("");
    text.add("Never written:");
    list(QemuTraceEvent.Writing.NEVER, text);
    return text.toArray(String[]::new);
  }

  private static void list(QemuTraceEvent.Writing writing, List<String> text) {
    for (QemuTraceEvent event : QemuTraceEvent.values()) {
      if (event.writing() == writing && !event.remark().isEmpty()) {
        text.add("  %s: %s".formatted(event.qemuName(), event.remark()));
      }
    }
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    Role role = EndOption.parse(end);
    try (Recording recording = file.open(terminal, role)) {
      var notes = new ArrayList<String>();
      List<RecordedMigration> found = RecordedMigration.find(List.of(recording), notes);
      notes.forEach(terminal::message);
      RecordedSession chosen = choose(which.choose(List.of(file.file()), found), role);
      if (!chosen.migrates()) {
        throw new InputException(
            "%s is of a program and not of a migration; see 'wridscope replay' and 'wridscope export'."
                .formatted(file.file()));
      }
      write(chosen);
      return ExitCode.COMPLETED;
    }
  }

  private RecordedSession choose(RecordedMigration migration, @Nullable Role role)
      throws InputException {
    RecordedSession source = migration.source();
    RecordedSession destination = migration.destination();
    if (role == null && source != null && destination != null) {
      throw new InputException(
          "--end: %s has both ends of the migration; choose one with --end source or --end"
                  .formatted(file.file())
              + " destination.");
    }
    Role wanted = role != null ? role : source != null ? Role.SOURCE : Role.DESTINATION;
    RecordedSession session = wanted == Role.SOURCE ? source : destination;
    if (session == null) {
      throw new InputException(
          "--end: %s has only the %s of the migration; choose it with --end %s."
              .formatted(file.file(), other(wanted), other(wanted)));
    }
    return session;
  }

  private static String other(Role role) {
    return role == Role.SOURCE ? "destination" : "source";
  }

  private void write(RecordedSession session) throws IOException {
    var form = new QemuTraceText.Form(!noTimes, comparable, all);
    if (out == null) {
      var writer =
          new BufferedWriter(new OutputStreamWriter(terminal.out(), StandardCharsets.UTF_8));
      write(session, form, writer);
      return;
    }
    Output wanted = Output.of("--out", out, FileKind.TRACE);
    try (WholeFile target = WholeFile.create(force ? wanted.replacing() : wanted)) {
      target.write(
          stream -> write(session, form, new OutputStreamWriter(stream, StandardCharsets.UTF_8)));
      String displaced = target.displaced();
      if (displaced != null) {
        terminal.message(displaced);
      }
    }
  }

  private static void write(RecordedSession session, QemuTraceText.Form form, Writer writer)
      throws IOException {
    QemuTraceText.write(session, form, line -> writer.append(line).append('\n'));
    writer.flush();
  }
}
