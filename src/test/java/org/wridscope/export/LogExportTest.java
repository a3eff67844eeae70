// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.Session;
import org.wridscope.control.attach.RecordedPrograms;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.Recording;

/** What is exported as a log can be opened again, with the same requests. */
final class LogExportTest {
  @TempDir private Path folder;

  private Path exported(Path file, String name) throws Exception {
    Path made = Files.createDirectory(folder.resolve(name));
    try (Recording recording = Recording.open("file", file)) {
      return Exported.write(
          made,
          Export.of(ExportFormat.CSV, Set.of(ExportTable.LOG)),
          Exported.ends(recording.sessions().toArray(Session[]::new)));
    }
  }

  private List<List<String>> requests(Path file, List<String> columns) throws Exception {
    Path made = Files.createTempDirectory(folder, "requests");
    try (Recording recording = Recording.open("file", file)) {
      List<NamedCsvRecord> rows =
          Exported.csv(
              made,
              ExportTable.REQUESTS,
              Exported.ends(recording.sessions().toArray(Session[]::new)));
      return rows.stream().map(row -> columns.stream().map(row::getField).toList()).toList();
    }
  }

  @Test
  void aProgram_isTheSameAgain() throws Exception {
    Path file = folder.resolve("program.wrs");
    RecordedPrograms.record(file, 3, 20);
    Path log = exported(file, "first");
    List<String> all = RequestRow.COLUMNS.stream().map(Column::name).toList();
    List<String> lasting =
        all.stream()
            .filter(column -> !column.endsWith("_s") && !column.endsWith("_event"))
            .toList();
    assertThat(requests(log, lasting)).hasSize(3 * 20 * 4 + 1).isEqualTo(requests(file, lasting));
    Path again = exported(log, "second");
    assertThat(Files.readAllLines(again)).hasSameSizeAs(Files.readAllLines(log));
    assertThat(exported(again, "third")).hasSameTextualContentAs(again);
  }

  @Test
  void aMigration_becomesAProgram_withTheSameRequests() throws Exception {
    Path file = folder.resolve("lab.wrs");
    RecordedLab.record(file, 0);
    Path log = exported(file, "first");
    try (Recording recording = Recording.open("file", log)) {
      assertThat(recording.notes())
          .noneMatch(note -> note.contains("could not be read"))
          .noneMatch(note -> note.contains("ignored"));
    }
    List<String> lasting = List.of("queue", "kind", "wrid");
    assertThat(requests(log, lasting)).containsExactlyInAnyOrderElementsOf(requests(file, lasting));
  }
}
