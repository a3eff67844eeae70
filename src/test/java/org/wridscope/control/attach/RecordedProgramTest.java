// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.ProgramAnalysis;
import org.wridscope.analysis.Requests;
import org.wridscope.control.SessionPair;
import org.wridscope.export.Export;
import org.wridscope.export.ExportFormat;
import org.wridscope.export.ExportTable;
import org.wridscope.export.Progress;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.files.WholeFile;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.DeviceCounts;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.WridLayout;
import org.wridscope.verbs.DeviceCounter;

/** A recorded program is read again with all its events, and never taken for a migration. */
@Slow("thousands of events are recorded, and read again, for each test")
final class RecordedProgramTest {
  private static final int EVENTS = 40_000;
  private static final DeviceCounter DROPPED = new DeviceCounter("rxe0", 1, "out_of_buffer");

  @TempDir private Path folder;

  private final List<AttachedProgram> programs =
      List.of(
          new AttachedProgram(1, "one", "rxe0", Map.of()),
          new AttachedProgram(2, "two", "rxe0", Map.of()));

  private Path file = Path.of("");
  private WridLayout layout = WridLayout.UNKNOWN;

  /** Two programs, so that neither is the other's counterpart. */
  @BeforeEach
  void record() throws Exception {
    file = folder.resolve("programs.wrs");
    try (Recorder recorder = Recorder.begin(Output.of("file", file, FileKind.RECORDING))) {
      for (AttachedProgram program : programs) {
        recorder.add(program);
        long nanos = System.nanoTime();
        for (int i = 0; i < EVENTS / 4; i++) {
          // Numbers that use all bits, and such that look like wrids of a QEMU.
          long wrid = i % 3 == 0 ? (long) i << 30 | 1 : i * 0x9e37_79b9_7f4a_7c15L;
          add(
              program,
              "p %x 1 1 c0 11 %x %x 2 1 40 %x %x 0".formatted(nanos++, wrid, i % 5, ~wrid, i));
          add(program, "r %x 1 1 c0 11 %x 1 ffffffff 0".formatted(nanos++, wrid));
          add(program, "c %x 1 1 c0 cc %x %x 80 93 40 11".formatted(nanos++, wrid, i % 7));
          if (i % 100 == 99) {
            add(
                program,
                "m %x 1 1 c0 12 %x %x %x 3 1 e ff 7 0 %x %x %x %x %x 0 0 200090affff0000"
                    .formatted(nanos++, i % 3, (int) wrid, i % 8, i << 8, i, -i, ~i, i % 2));
          }
        }
        program.telemetry().counted(DROPPED, new DeviceCounts.Count(5, true));
        program.takeCounted(Long.MAX_VALUE);
        program.end(false, "The end.");
      }
    }
  }

  private static void add(AttachedProgram program, String line) {
    TraceLine parsed = TraceText.parse(line);
    program.take(parsed, parsed.nanos());
  }

  @Test
  void allEvents_areReadAgain() throws Exception {
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.notes()).isEmpty();
      for (int i = 0; i < programs.size(); i++) {
        RecordedSession session = recording.sessions().get(i);
        List<Event> events = new ArrayList<>();
        session.forEachEvent(events::add);
        assertThat(session.migrates()).isFalse();
        assertThat(session.ownName()).isEqualTo(programs.get(i).name());
        assertThat(session.outcome()).isEqualTo("The end.");
        assertThat(events)
            .hasSizeGreaterThan(EVENTS / 4 * 3)
            .isEqualTo(programs.get(i).telemetry().log().read(0, Integer.MAX_VALUE));
      }
    }
  }

  @Test
  void whatTheDeviceCounted_isReadAgain_andItsFindingWithIt() throws Exception {
    try (Recording recording = Recording.open("file", file)) {
      RecordedSession session = recording.sessions().getFirst();
      var requests = new Requests(session.telemetry());
      session.forEachEvent(requests::take);
      assertThat(requests.counted().totals())
          .singleElement()
          .satisfies(total -> {
            assertThat(total.counter()).isEqualTo(DROPPED);
            assertThat(total.count()).isEqualTo("at least 5");
          });
      assertThat(ProgramAnalysis.findings(requests, requests.lastNanos()))
          .extracting(Finding::title)
          .contains("packets dropped for lack of a receive");
    }
  }

  @Test
  void programs_standAlone() throws Exception {
    try (Recording recording = Recording.open("file", file)) {
      List<RecordedMigration> found = RecordedMigration.find(List.of(recording), new ArrayList<>());

      assertThat(found).hasSize(2).allMatch(each -> each.destination() == null);
    }
  }

  @Test
  void theTableOfRequests_decodesNoWrid() throws Exception {
    List<String> rows = exported(new Export(ExportFormat.CSV, EnumSet.of(ExportTable.REQUESTS)));

    assertThat(rows).hasSize(1 + EVENTS / 4 * 2);
    assertThat(rows)
        .filteredOn(row -> row.startsWith("program,send,0,WRITE,0x1,,,,,64,true,"))
        .singleElement()
        .asString()
        .endsWith(",QP 17,RDMA_WRITE,2,,");
    assertThat(rows)
        .filteredOn(row -> row.startsWith("program,receive,0,RECEIVE,0x1,,,,,4294967295,true,"))
        .singleElement()
        .asString()
        .endsWith(",QP 17,,,,");
  }

  @Test
  void theTableOfRequests_decodesWrids_asTheUserSaid() throws Exception {
    layout = new WridLayout.Fields(List.of(new WridLayout.Field("all", 0, 8, Map.of(1L, "first"))));

    assertThat(exported(new Export(ExportFormat.CSV, EnumSet.of(ExportTable.REQUESTS))).get(1))
        .endsWith(",all first,");
    assertThat(exported(new Export(ExportFormat.CSV, EnumSet.of(ExportTable.EVENTS))).get(1))
        .contains("wr_id 0x1 (all first)");
  }

  @Test
  void thePeerOfAQueuePair_isInTheRecording_andInTheTableOfRequests() throws Exception {
    Path connected = folder.resolve("connected.wrs");
    try (Recorder recorder = Recorder.begin(Output.of("file", connected, FileKind.RECORDING))) {
      var program =
          new AttachedProgram(
              3, "rping", "rxe0", Map.of(17, new PeersBefore.Peer("10.9.0.2:7174", true)));
      recorder.add(program);
      add(program, "q 1 3 3 c0 11 1 2");
      add(program, "p 2 3 3 c0 11 1 2 2 1 40 0 0 0");
      program.end(false, "The end.");
    }
    file = connected;

    assertThat(exported(new Export(ExportFormat.CSV, EnumSet.of(ExportTable.REQUESTS))).get(1))
        .endsWith(",QP 17,SEND,2,,10.9.0.2:7174");
    assertThat(exported(new Export(ExportFormat.CSV, EnumSet.of(ExportTable.LOG))).get(1))
        .contains(",peer,17,")
        .endsWith(",10.9.0.2:7174");
  }

  @Test
  void theTableOfEvents_decodesNoWrid() throws Exception {
    List<String> rows = exported(new Export(ExportFormat.CSV, EnumSet.of(ExportTable.EVENTS)));

    assertThat(rows.get(1)).contains(",PROGRAM_POST,0x1,,,,,512,64,17,").startsWith("program,0,");
  }

  @Test
  void whatOnlyMigrationsHave_isRefused() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> exported(Export.of(ExportFormat.HTML, EnumSet.noneOf(ExportTable.class))))
        .withMessageContaining("is of a program and not of a migration");
  }

  private List<String> exported(Export export) throws Exception {
    Path out = folder.resolve("out");
    try (Recording recording = Recording.open("file", file);
        WholeFile whole = WholeFile.create(Output.of("out", out, export.format().kind()))) {
      RecordedSession session = recording.sessions().getFirst();
      session.telemetry().setWrids(layout);
      export.write(new SessionPair(session, null), whole, Progress.NONE);
    }
    return Files.readAllLines(out);
  }
}
