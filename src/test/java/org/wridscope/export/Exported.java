// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** Exports to a directory and reads the files like another program. */
final class Exported {
  /** Names that a user or a peer might choose to do harm. */
  static final List<String> HOSTILE =
      List.of(
          "=cmd|' /C calc'!A0",
          "+1+1",
          "-2+3",
          "@SUM(A1)",
          "\t=1",
          "\r=1",
          "＝1+1",
          "</script><script src=\"http://example.org/x.js\">alert(1)</script>",
          "<!-- \"quoted\", 'comma' & ]]> -->",
          "a\nb\r\nc",
          "javascript:alert(1)\" onload=\"alert(2)",
          "nul \0, bell \u0007, lone \ud800 surrogate, \ufffe, \u202e gnp.exe",
          "");

  private Exported() {}

  /** A session that never ran; everything about it is called by the same name. */
  static FakeSession session(Role role, String name, List<String> blocks) {
    var telemetry = new SessionTelemetry(role, true, 1 << 20);
    var tables = new ArrayList<ChunkTable>();
    for (String block : blocks) {
      tables.add(new ChunkTable(tables.size(), block, 3 * ChunkTable.CHUNK_SIZE, 0x7000_0000L));
    }
    telemetry.setBlocks(tables);
    var session = new FakeSession(name, name, telemetry);
    session.setDevice(name, name);
    session.setOutcome(name);
    session.setGuestRunning(false);
    return session;
  }

  static SessionPair ends(Session... sessions) {
    Session source = null;
    Session destination = null;
    for (Session session : sessions) {
      if (session.role() == Role.SOURCE) {
        source = session;
      } else {
        destination = session;
      }
    }
    return new SessionPair(source, destination);
  }

  static Path write(Path directory, Export export, SessionPair ends) throws IOException {
    Path path = directory.resolve("exported." + export.format().text());
    try (WholeFile file = WholeFile.create(Output.of("file", path, export.format().kind()))) {
      export.write(ends, file, Progress.NONE);
    }
    try (var files = Files.list(directory)) {
      assertThat(files.filter(file -> file.toString().contains("unfinished"))).isEmpty();
    }
    assertThat(FileKind.values())
        .filteredOn(kind -> is(kind, path))
        .containsExactly(export.format().kind());
    return path;
  }

  private static boolean is(FileKind kind, Path file) {
    try {
      return kind.is(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<NamedCsvRecord> csv(Path directory, ExportTable table, SessionPair ends)
      throws IOException {
    Path file = write(directory, Export.of(ExportFormat.CSV, Set.of(table)), ends);
    try (var reader = CsvReader.builder().ofNamedCsvRecord(file)) {
      return reader.stream().toList();
    }
  }

  static JsonObject json(Path directory, Set<ExportTable> tables, SessionPair ends)
      throws IOException {
    Path file = write(directory, Export.of(ExportFormat.JSON, tables), ends);
    return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
  }

  static String html(Path directory, SessionPair ends) throws IOException {
    return Files.readString(write(directory, Export.of(ExportFormat.HTML, Set.of()), ends));
  }

  /** The text that was written into a cell. */
  static String unguarded(String cell) {
    return cell.startsWith("'") ? cell.substring(1) : cell;
  }
}
