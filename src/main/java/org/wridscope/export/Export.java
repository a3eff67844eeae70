// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ClosedChannelException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.wridscope.control.SessionPair;
import org.wridscope.files.Target;
import org.wridscope.files.WholeFile;
import org.wridscope.recording.file.RecordingException;

/**
 * The format and the tables of an export.
 *
 * @param tables exactly one for a CSV file, any number for a JSON document, none for the others
 */
public record Export(ExportFormat format, Set<ExportTable> tables) {

  public Export {
    tables = Set.copyOf(tables);
    if (format == ExportFormat.CSV && tables.size() != 1) {
      throw new IllegalArgumentException(
          "A CSV file holds one table, not %d; name one.".formatted(tables.size()));
    }
    if (!tables.isEmpty() && (format == ExportFormat.HTML || format == ExportFormat.PERFETTO)) {
      throw new IllegalArgumentException(
          "%s has no tables to choose; omit the tables."
              .formatted(format == ExportFormat.HTML ? "An HTML report" : "A trace for Perfetto"));
    }
  }

  /**
   * An export with the given tables or, if there are none, the default ones: events for a CSV file,
   * samples and messages for a JSON document.
   *
   * @param wanted the requested tables, empty for the default ones
   * @throws IllegalArgumentException when the format cannot hold them; its message is a sentence
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
          case HTML, PERFETTO -> Set.of();
        });
  }

  /** Its name in the user interface: {@code report}, {@code document}, {@code table of events}. */
  public String text() {
    return switch (format) {
      case CSV -> "table of " + tables.iterator().next().text();
      case JSON -> "document";
      case HTML -> "report";
      case PERFETTO -> "trace for Perfetto";
    };
  }

  /**
   * Writes the file on the caller's thread. A recorded session is exported completely,
   * independently of its position.
   *
   * @param file gets its name once it is complete; the caller closes it
   * @throws ExportCancelledException when {@code progress} cancelled it
   * @throws IOException when the file cannot be written, or a recording cannot be read; its message
   *     is a sentence for the user
   */
  public void write(SessionPair ends, WholeFile file, Progress progress) throws IOException {
    write(file, out -> write(ends.atTheirEnds(), progress, out));
  }

  /** Writes the content of a file. */
  @FunctionalInterface
  interface Content {
    void write(OutputStream out) throws IOException;
  }

  /**
   * Writes a file.
   *
   * @throws IOException whose message is a sentence for the user
   */
  static void write(WholeFile file, Content content) throws IOException {
    try {
      file.write(content::write);
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

  private void write(SessionPair ends, Progress progress, OutputStream out) throws IOException {
    if (!ends.leading().migrates() && !isOfPrograms()) {
      throw new RecordingException(
          "The recording is of a program and not of a migration; it can be exported as a CSV table"
              + " of events, of requests or of a log, or as a trace for Perfetto.");
    }
    long events = ends.sessions().stream().mapToLong(EventFeed::count).sum();
    switch (format) {
      case CSV -> csv(ends, new Meter(progress, events), out);
      case JSON ->
          JsonDocument.write(
              ends, inOrder(), new Meter(progress, events * JsonDocument.passes(tables)), out);
      case PERFETTO -> PerfettoTrace.write(ends, new Meter(progress, 2 * events), out);
      case HTML ->
          HtmlReport.write(
              MigrationReading.of(ends, Clock.of(ends), new Meter(progress, events)), out);
    }
  }

  /** Whether it needs nothing that only migrations have. */
  private boolean isOfPrograms() {
    return switch (format) {
      case PERFETTO -> true;
      case CSV ->
          EnumSet.of(ExportTable.EVENTS, ExportTable.REQUESTS, ExportTable.LOG).containsAll(tables);
      case JSON, HTML -> false;
    };
  }

  private Set<ExportTable> inOrder() {
    var ordered = EnumSet.noneOf(ExportTable.class);
    ordered.addAll(tables);
    return ordered;
  }

  private void csv(SessionPair ends, Meter meter, OutputStream out) throws IOException {
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
      case LOG -> {
        try (var csv = new CsvTable<>(out, LogRow.COLUMNS)) {
          LogRow.forEach(ends, clock, meter, csv);
        }
      }
      case VIRTIO -> {
        try (var csv = new CsvTable<>(out, VirtioRow.COLUMNS)) {
          VirtioRow.forEach(ends, clock, csv);
        }
      }
    }
  }

  /** All exports, the most useful ones first. */
  public static List<Export> choices() {
    return List.of(
        of(ExportFormat.HTML, Set.of()),
        of(ExportFormat.JSON, Set.of()),
        of(ExportFormat.CSV, Set.of(ExportTable.EVENTS)),
        of(ExportFormat.CSV, Set.of(ExportTable.REQUESTS)),
        of(ExportFormat.CSV, Set.of(ExportTable.SAMPLES)),
        of(ExportFormat.CSV, Set.of(ExportTable.MESSAGES)),
        of(ExportFormat.CSV, Set.of(ExportTable.VIRTIO)),
        of(ExportFormat.CSV, Set.of(ExportTable.LOG)),
        of(ExportFormat.PERFETTO, Set.of()));
  }
}
