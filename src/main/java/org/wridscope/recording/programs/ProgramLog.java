// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.programs;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.wridscope.recording.file.RecordingException;

/**
 * The log that a program writes itself about its work requests, as CSV or as lines of JSON; see
 * {@code docs/import.md}.
 *
 * @param columns of a CSV file; null for lines of JSON
 */
public record ProgramLog(Path file, @Nullable List<String> columns) {
  /** What each line has to have. */
  private static final List<String> REQUIRED = List.of("time_s", "event");

  private static final int MAX_FIRST_LINE = 1 << 16;

  /** Receives lines. */
  @FunctionalInterface
  interface Sink {
    /**
     * Receives a line.
     *
     * @param line null if it cannot be read as what it should be
     * @param number of the line or record in the file, from 1
     */
    void line(@Nullable ProgramLogLine line, long number) throws IOException;
  }

  /** Inspects a file of any kind; empty when it is no such log. */
  public static Optional<ProgramLog> of(Path file) throws IOException {
    String first;
    try (Reader reader = reader(file)) {
      var buffer = new char[MAX_FIRST_LINE];
      int length = reader.read(buffer);
      String start = length < 0 ? "" : new String(buffer, 0, length);
      first = start.lines().filter(line -> !line.isBlank()).findFirst().orElse("");
    }
    if (first.startsWith("{")) {
      ProgramLogLine line = json(first);
      return line != null && line.fields().keySet().containsAll(REQUIRED)
          ? Optional.of(new ProgramLog(file, null))
          : Optional.empty();
    }
    try (CsvReader<CsvRecord> csv = CsvReader.builder().ofCsvRecord(first)) {
      List<String> columns =
          csv.stream()
              .findFirst()
              .map(header -> header.getFields().stream().map(String::strip).toList())
              .orElse(List.of());
      return columns.containsAll(REQUIRED)
          ? Optional.of(new ProgramLog(file, columns))
          : Optional.empty();
    }
  }

  private static BufferedReader reader(Path file) throws IOException {
    return new BufferedReader(
        new InputStreamReader(
            Files.newInputStream(file),
            StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)));
  }

  /** Passes on all lines but the header and blank ones. */
  void forEach(Sink sink) throws IOException {
    List<String> names = columns;
    if (names == null) {
      forEachJson(sink);
    } else {
      forEachRecord(names, sink);
    }
  }

  private void forEachJson(Sink sink) throws IOException {
    try (BufferedReader lines = reader(file)) {
      String line;
      for (long number = 1; (line = lines.readLine()) != null; number++) {
        if (!line.isBlank()) {
          sink.line(json(line), number);
        }
      }
    }
  }

  private static @Nullable ProgramLogLine json(String text) {
    try {
      if (JsonParser.parseString(text) instanceof JsonObject object) {
        var fields = new HashMap<String, String>();
        for (Map.Entry<String, JsonElement> each : object.entrySet()) {
          if (each.getValue() instanceof JsonPrimitive value && !value.getAsString().isBlank()) {
            fields.put(each.getKey(), value.getAsString().strip());
          }
        }
        return new ProgramLogLine(fields);
      }
    } catch (JsonParseException e) {
      // said by the caller
    }
    return null;
  }

  private void forEachRecord(List<String> names, Sink sink) throws IOException {
    try (CsvReader<CsvRecord> csv =
        CsvReader.builder()
            .skipEmptyLines(true)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .ofCsvRecord(reader(file))) {
      boolean header = true;
      for (CsvRecord each : csv) {
        if (!header) {
          sink.line(line(names, each), each.getStartingLineNumber());
        }
        header = false;
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (CsvParseException e) {
      throw new RecordingException("It is no CSV file: %s.".formatted(e.getMessage()), e);
    }
  }

  private static @Nullable ProgramLogLine line(List<String> names, CsvRecord csv) {
    if (csv.getFieldCount() != names.size()) {
      return null;
    }
    var fields = new HashMap<String, String>();
    for (int i = 0; i < names.size(); i++) {
      String value = csv.getField(i).strip();
      if (!value.isEmpty()) {
        // An apostrophe keeps a spreadsheet from taking a text for a formula.
        fields.put(names.get(i), value.startsWith("'") ? value.substring(1) : value);
      }
    }
    return new ProgramLogLine(fields);
  }

  /** The columns that are not read. */
  List<String> unknownColumns() {
    return columns == null
        ? List.of()
        : columns.stream().filter(name -> !ProgramLogLine.COLUMNS.contains(name)).toList();
  }
}
