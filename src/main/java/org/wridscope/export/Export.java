// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.wridscope.files.Target;
import org.wridscope.files.WholeFile;
import org.wridscope.recording.RecordingException;

/**
 * What is to be written about a migration.
 *
 * @param tables the one of a CSV file, those of a JSON document; an HTML report has none
 */
public record Export(ExportFormat format, Set<ExportTable> tables) {

  public Export {
    tables = Set.copyOf(tables);
    if (format == ExportFormat.CSV && tables.size() != 1) {
      throw new IllegalArgumentException(
          "A CSV file holds one table, not %d; name one.".formatted(tables.size()));
    }
    if (format == ExportFormat.HTML && !tables.isEmpty()) {
      throw new IllegalArgumentException(
          "An HTML report chooses what it shows; leave the tables out.");
    }
  }

  /**
   * What a format holds when nothing else is said: a CSV file the events, a JSON document samples
   * and messages.
   *
   * @param wanted tables that were asked for, empty for the usual ones
   * @throws IllegalArgumentException when the format cannot hold them, with one sentence
   */
  public static Export of(ExportFormat format, Set<ExportTable> wanted) {
    if (!wanted.isEmpty()) {
      return new Export(format, wanted);
    }
    return new Export(
        format,
        switch (format) {
          case CSV -> Set.of(ExportTable.EVENTS);
          case JSON -> Set.of(ExportTable.SAMPLES, ExportTable.MESSAGES);
          case HTML -> Set.of();
        });
  }

  /** What it is, for people: {@code report}, {@code document}, {@code table of events}. */
  public String text() {
    return switch (format) {
      case CSV -> "table of " + tables.iterator().next().text();
      case JSON -> "document";
      case HTML -> "report";
    };
  }

  /**
   * Writes it, for as long as that takes; a recorded session is exported whole, wherever a window
   * has moved it.
   *
   * @param file which gets its name in the end; the caller closes it
   * @throws ExportCancelledException when {@code progress} said so
   * @throws IOException when it cannot be written, or a recording not be read; its message is a
   *     sentence for the user
   */
  public void write(Ends ends, WholeFile file, Progress progress) throws IOException {
    try {
      Ends whole = ends.atTheirEnds();
      file.write(out -> write(whole, progress, out));
    } catch (ExportCancelledException | RecordingException e) {
      throw e;
    } catch (ClosedChannelException e) {
      throw new IOException(
          "%s was not written: the recording was closed.".formatted(file.file()), e);
    } catch (IOException e) {
      throw new IOException(
          "%s could not be written (%s).".formatted(file.file(), Target.reason(e)), e);
    }
  }

  private void write(Ends ends, Progress progress, OutputStream out) throws IOException {
    long events = ends.sessions().stream().mapToLong(EventFeed::count).sum();
    switch (format) {
      case CSV -> csv(ends, new Meter(progress, events), out);
      case JSON ->
          JsonDocument.write(
              ends, inOrder(), new Meter(progress, events * JsonDocument.passes(tables)), out);
      case HTML ->
          HtmlReport.write(
              MigrationReading.of(ends, Clock.of(ends), new Meter(progress, events)), out);
    }
  }

  private Set<ExportTable> inOrder() {
    var ordered = EnumSet.noneOf(ExportTable.class);
    ordered.addAll(tables);
    return ordered;
  }

  private void csv(Ends ends, Meter meter, OutputStream out) throws IOException {
    Clock clock = Clock.of(ends);
    switch (tables.iterator().next()) {
      case EVENTS -> {
        try (var csv = new CsvTable<>(out, EventRow.COLUMNS)) {
          EventRow.forEach(ends, clock, meter, csv);
        }
      }
      case REQUESTS -> {
        try (var csv = new CsvTable<>(out, RequestRow.COLUMNS)) {
          RequestRow.forEach(ends, clock, meter, csv);
        }
      }
      case SAMPLES -> {
        try (var csv = new CsvTable<>(out, SampleRow.COLUMNS)) {
          SampleRow.forEach(ends, clock, csv);
        }
      }
      case MESSAGES -> {
        try (var csv = new CsvTable<>(out, MessageRow.COLUMNS)) {
          MessageRow.forEach(MigrationReading.of(ends, clock, meter).ladder(), clock, csv);
        }
      }
    }
  }

  /** What can be exported, the most asked for first. */
  public static List<Export> choices() {
    return List.of(
        of(ExportFormat.HTML, Set.of()),
        of(ExportFormat.JSON, Set.of()),
        of(ExportFormat.CSV, Set.of(ExportTable.EVENTS)),
        of(ExportFormat.CSV, Set.of(ExportTable.REQUESTS)),
        of(ExportFormat.CSV, Set.of(ExportTable.SAMPLES)),
        of(ExportFormat.CSV, Set.of(ExportTable.MESSAGES)));
  }
}
