// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.analysis.Script;
import org.wridscope.control.FakeSession;
import org.wridscope.control.SessionPair;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.telemetry.Role;

/** Files appear complete or not at all, and the manual names their columns. */
final class ExportTest {
  @TempDir Path directory;

  private static SessionPair many() {
    FakeSession session = Exported.session(Role.SOURCE, "made", List.of("pc.ram"));
    var script = new Script(session.telemetry());
    for (int i = 0; i < 50_000; i++) {
      script.postWrite(Script.write(0, i % 3), true);
    }
    return Exported.ends(session);
  }

  private static final String BEFORE = "end,number,time_s,utc,kind,wrid\r\n";

  @Test
  void cancelledExport_leavesNoFile_andKeepsTheOlderOne() throws IOException {
    SessionPair ends = many();
    for (Export export : Export.choices()) {
      if (export.tables().equals(Set.of(ExportTable.SAMPLES))
          || export.tables().equals(Set.of(ExportTable.VIRTIO))) {
        continue;
      }
      Path path = directory.resolve("there");
      Files.writeString(path, BEFORE);
      var told = new ArrayList<Double>();
      try (WholeFile file = WholeFile.create(Output.of("file", path, FileKind.CSV))) {
        assertThatExceptionOfType(ExportCancelledException.class)
            .isThrownBy(() ->
                export.write(
                    ends,
                    file,
                    share -> {
                      told.add(share);
                      return told.size() < 3;
                    }));
      }
      assertThat(told).hasSize(3).isSorted().allMatch(share -> share > 0 && share < 1);
      assertThat(path).hasContent(BEFORE);
      try (var files = Files.list(directory)) {
        assertThat(files).containsExactly(path);
      }
    }
  }

  @Test
  void completedExport_hasItsNameAndLeavesNoOtherFile() throws IOException {
    Path path = directory.resolve("new.csv");
    try (WholeFile file = WholeFile.create(Output.of("file", path, FileKind.CSV))) {
      assertThat(path).doesNotExist();
      Export.choices().get(2).write(many(), file, Progress.NONE);
    }
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(path);
    }
  }

  @Test
  void formats_acceptOnlyTablesThatTheyCanHold() {
    assertThat(Export.of(ExportFormat.CSV, Set.of()).tables()).containsExactly(ExportTable.EVENTS);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Export.of(ExportFormat.CSV, EnumSet.allOf(ExportTable.class)))
        .withMessage("A CSV file holds one table, not 6; name one.");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Export.of(ExportFormat.HTML, Set.of(ExportTable.EVENTS)));
    assertThat(ExportFormat.of("--out", Path.of("a.b.HTML"))).isEqualTo(ExportFormat.HTML);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ExportFormat.of("--out", Path.of("lab.wrs")))
        .withMessageContaining("end it with .html, .json, .csv or .perfetto.json");
  }

  @Test
  void manual_namesEveryColumn() throws IOException {
    String manual = Files.readString(Path.of("docs/export.md"));
    var columns = new ArrayList<String>();
    EventRow.COLUMNS.forEach(column -> columns.add(column.name()));
    RequestRow.COLUMNS.forEach(column -> columns.add(column.name()));
    SampleRow.COLUMNS.forEach(column -> columns.add(column.name()));
    MessageRow.COLUMNS.forEach(column -> columns.add(column.name()));
    assertThat(columns).allSatisfy(column -> assertThat(manual).contains("`" + column + "`"));
  }
}
