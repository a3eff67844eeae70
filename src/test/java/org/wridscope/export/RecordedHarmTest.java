// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Scenario;
import org.wridscope.control.scenario.Scenarios;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Role;

/** What is predicted for a virtio request, and what its driver meets, in files. */
final class RecordedHarmTest {
  private static final String PREDICTED = "virtio-\\S+ \\S+: request \\d+ .*\\.";

  @TempDir Path directory;

  private RecordedSession destination(Recording recording) {
    return recording.sessions().stream()
        .filter(session -> session.role() == Role.DESTINATION)
        .findFirst()
        .orElseThrow();
  }

  private MigrationReport.Virtio record(Path file) throws Exception {
    Scenario scenario = Scenarios.find("virtqueue-in-flight");
    try (var sessions = new LocalSessions();
        var recorder = Recorder.begin(Output.of("--record", file, FileKind.RECORDING))) {
      Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
      recorder.add(lab.source());
      recorder.add(lab.destination());
      assertThat(Verdict.await(scenario, 0, lab, () -> {}).problems()).isEmpty();
      return Objects.requireNonNull(lab.destination().report().virtio());
    }
  }

  @Test
  void filesHoldThePrediction_andThenWhatTheDriverMet() throws Exception {
    Path file = directory.resolve("harm.wrs");
    MigrationReport.Virtio live = record(file);
    assertThat(live.finding()).matches(PREDICTED);
    assertThat(live.observed()).matches(PREDICTED);
    Path exports = Files.createDirectory(directory.resolve("exports"));
    try (Recording recording = Recording.open("file", file)) {
      RecordedSession session = destination(recording);
      var states = new ArrayList<String>();
      session.forEachVirtio((_, snapshot) -> {
        String state = state(snapshot);
        if (states.isEmpty() || !states.getLast().equals(state)) {
          states.add(state);
        }
      });
      assertThat(states).endsWith("predicted", "predicted and met");
      assertThat(session.report().virtio()).isEqualTo(live);
      SessionPair ends = Exported.ends(session);
      List<NamedCsvRecord> rows = Exported.csv(exports, ExportTable.VIRTIO, ends);
      assertThat(rows).hasSizeGreaterThan(6);
      assertThat(rows.getLast().getField("predicted")).isEqualTo(live.finding());
      assertThat(rows.getLast().getField("observed")).isEqualTo(live.observed());
      assertThat(rows)
          .extracting(row -> row.getField("queue"))
          .contains("virtio-blk requestq", "virtio-net receiveq1", "virtio-net transmitq1");
      String html = Files.readString(html(exports, ends));
      assertThat(html).contains(live.finding(), live.observed());
    }
  }

  private static Path html(Path exports, SessionPair ends) throws Exception {
    Files.delete(exports.resolve("exported.csv"));
    return Exported.write(exports, Export.of(ExportFormat.HTML, Set.of()), ends);
  }

  private static String state(VirtioSnapshot snapshot) {
    String predicted = snapshot.predicted().isPresent() ? "predicted" : "sound";
    return snapshot.observed().isPresent() ? predicted + " and met" : predicted;
  }
}
