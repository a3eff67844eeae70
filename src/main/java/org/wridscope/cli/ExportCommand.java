// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.SessionPair;
import org.wridscope.export.Export;
import org.wridscope.export.ExportCancelledException;
import org.wridscope.export.ExportFormat;
import org.wridscope.export.ExportTable;
import org.wridscope.files.UserFiles;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code wridscope export}: writes a recording in a format that other programs read. */
@Command(
    description = {
      "Exports a recording (--record), captured packets or a trace log of QEMU as a CSV table, a"
          + " JSON document, an HTML report or a trace for Perfetto. Give two files, the source's"
          + " and the destination's, to export both ends of a migration.",
      "",
      "  wridscope export lab.wrs --out lab.html",
      "  wridscope export lab.wrs --out requests.csv --table requests",
      "  wridscope export qemu.source.log qemu.dest.log --out lab.json --table messages,events",
      "",
      "docs/export.md describes the columns and members."
    },
    exitCodeList = {
      "  0:written",
      "  1:a file cannot be read or written",
      "  2:bad input",
      "130:cancelled with Ctrl-C; no file was written"
    })
final class ExportCommand extends TerminalCommand {
  private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(10);

  @Parameters(
      arity = "1..2",
      paramLabel = RecordingParameter.NAME,
      description =
          "A recording, captured packets (.pcap, .pcapng) or a trace log of QEMU, or two: one of"
              + " each end")
  private List<Path> files = List.of();

  @Mixin private final EndOption end = new EndOption();

  @Option(
      names = "--out",
      required = true,
      paramLabel = "FILE",
      description =
          "The file to write; its name should end with .html, .json, .csv or .perfetto.json")
  private Path out = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "html, json, csv or perfetto, if the name of the file does not say it")
  private @Nullable String format;

  @Option(
      names = "--table",
      paramLabel = "TABLE",
      split = ",",
      description =
          "What to export: events, requests, samples, messages, virtio or log. One for a CSV file"
              + " (default: events), any for a JSON document (default: samples,messages)")
  private List<String> tables = new ArrayList<>();

  @Mixin private final WridsOption wrids = new WridsOption();

  @Mixin private final MigrationOption which = new MigrationOption();

  ExportCommand(Terminal terminal) {
    super(terminal);
  }

  @Override
  ExitCode execute() throws InputException, IOException {
    try (Interruption interruption = new Interruption(CANCEL_PATIENCE)) {
      Export wanted = InputException.checked(this::wanted);
      wrids.read();
      write(wanted, interruption);
      return ExitCode.COMPLETED;
    } catch (ExportCancelledException e) {
      terminal.problem(String.valueOf(e.getMessage()));
      return ExitCode.INTERRUPTED;
    }
  }

  private Export wanted() {
    for (Path file : files) {
      UserFiles.refuseSame("--out", out, "the recording", file);
    }
    Set<ExportTable> wanted = EnumSet.noneOf(ExportTable.class);
    tables.forEach(name -> wanted.add(ExportTable.of("--table", name)));
    ExportFormat into =
        format == null ? ExportFormat.of("--out", out) : ExportFormat.of("--format", format);
    try {
      return Export.of(into, wanted);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--table: " + e.getMessage(), e);
    }
  }

  private void write(Export export, Interruption interruption) throws IOException, InputException {
    var recordings = new ArrayList<Recording>();
    try {
      recordings.addAll(end.open(files));
      wrids.apply(recordings.stream().flatMap(each -> each.sessions().stream()).toList());
      for (Recording recording : recordings) {
        recording
            .notes()
            .forEach(note -> terminal.message(recording.file().getFileName() + ": " + note));
      }
      var notes = new ArrayList<String>();
      List<RecordedMigration> found = RecordedMigration.find(recordings, notes);
      notes.forEach(terminal::message);
      RecordedMigration migration = which.choose(files, found);
      try (Exports exports = new Exports()) {
        exports.add("--out", out, export);
        List<IOException> failures =
            exports.write(
                new SessionPair(migration.source(), migration.destination()),
                terminal,
                () -> !interruption.requested());
        if (!failures.isEmpty()) {
          throw failures.getFirst();
        }
      }
    } finally {
      for (Recording recording : recordings) {
        recording.close();
      }
    }
  }
}
