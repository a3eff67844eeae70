// SPDX-License-Identifier: Apache-2.0
package org.wridscope.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.control.Session;
import org.wridscope.control.SimulatedQemu;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** Simulated QEMUs of this process write logs of real ones into the pipe of a watch. */
@Slow("pipes between threads, in real time")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WatchTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String COMPLETED =
      """
      {"status": "completed", "total-time": 1113, "downtime": 84, "setup-time": 7, "ram": {"transferred": 12, "remaining": 0, "total": 84484096, "mbps": 1.5, "dirty-pages-rate": 3, "dirty-sync-count": 5, "page-size": 4096, "duplicate": 19488, "normal": 1142}}
      """;

  @TempDir Path directory;
  private ChangedTraces notes;

  @BeforeEach
  void makeNotes() {
    notes = ChangedTraces.in(directory);
  }

  /** What cannot be put back, because the simulated QEMU has ended and its process has not. */
  @AfterEach
  void deletePipes() throws IOException {
    for (ChangedTrace left : notes.all()) {
      left.deletePipe();
    }
  }

  private SimulatedQemu source() throws IOException {
    return withEvents(SimulatedQemu.running(directory, "source"));
  }

  private SimulatedQemu destination() throws IOException {
    return withEvents(SimulatedQemu.waiting(directory, "destination"));
  }

  private static SimulatedQemu withEvents(SimulatedQemu qemu) {
    qemu.traceEvents()
        .putAll(
            Map.of(
                "qemu_rdma_poll_write", false,
                "qemu_rdma_poll_recv", true,
                "qemu_rdma_write_flush", false,
                "rdma_add_block", false,
                "migrate_set_state", false,
                "migrate_fd_cleanup", false));
    return qemu;
  }

  private static final Map<String, Boolean> BEFORE =
      Map.of(
          "qemu_rdma_poll_write", false,
          "qemu_rdma_poll_recv", true,
          "qemu_rdma_write_flush", false,
          "rdma_add_block", false,
          "migrate_set_state", false,
          "migrate_fd_cleanup", false);

  private Watch watch(SimulatedQemu qemu) throws Exception {
    return Watch.of(List.of(qemu.address()), notes);
  }

  private static String real(String name) throws IOException {
    try (InputStream in = Recording.class.getResourceAsStream("qemu/" + name)) {
      assertThat(in).as(name).isNotNull();
      try (InputStream plain = name.endsWith(".gz") ? new GZIPInputStream(in) : in) {
        return new String(plain.readAllBytes(), StandardCharsets.UTF_8);
      }
    }
  }

  private static void awaitStatus(Session session, MigrationStatus status) {
    new TimeLimit().await(status.toString(), () -> session.status() == status);
  }

  private void assertAsBefore(SimulatedQemu qemu) {
    assertThat(qemu.traceEvents()).isEqualTo(BEFORE);
    assertThat(qemu.commands().getLast()).startsWith("logfile /dev/");
    assertThat(notes.all()).isEmpty();
  }

  private static Map<EventKind, Integer> counts(List<Event> events) {
    var counts = new TreeMap<EventKind, Integer>();
    events.forEach(event -> counts.merge(event.kind(), 1, Integer::sum));
    return counts;
  }

  @Test
  void onlyEventsThatAreUsedAndWereOff_areSwitchedOn() throws Exception {
    try (SimulatedQemu qemu = source()) {
      Session session = watch(qemu).sessions().leading();
      assertThat(qemu.traceEvents())
          .containsEntry("qemu_rdma_poll_write", true)
          .containsEntry("qemu_rdma_poll_recv", true)
          .containsEntry("rdma_add_block", true)
          .containsEntry("migrate_set_state", true)
          .containsEntry("qemu_rdma_write_flush", false)
          .containsEntry("migrate_fd_cleanup", false);
      assertThat(notes.all()).hasSize(1);
      assertThat(notes.abandoned()).isEmpty();
      session.cancel();
      assertThat(session.await(PATIENCE)).isTrue();
      assertThat(session.outcome()).isEqualTo("The watch was ended before a migration began.");
      assertAsBefore(qemu);
    }
  }

  /** A QEMU may say that the migration is completed shortly before its guest runs. */
  @Test
  void guestThatStartsAfterTheMigrationIsCompleted_isSeen() throws Exception {
    String text = real("qemu-7.2-dyn-idle.dest.log");
    int rest = text.lastIndexOf('\n', text.indexOf("qemu_rdma_cleanup_disconnect")) + 1;
    try (SimulatedQemu qemu = destination()) {
      Session session = watch(qemu).sessions().leading();
      qemu.setMigration("{\"status\": \"active\"}");
      qemu.log(text.substring(0, rest));
      awaitStatus(session, MigrationStatus.COMPLETED);
      int answers = qemu.answersAboutMigration();
      qemu.setMigration(COMPLETED);
      new TimeLimit().await("a question", () -> qemu.answersAboutMigration() > answers);
      qemu.setStatus("running");
      qemu.log(text.substring(rest));
      assertThat(session.await(PATIENCE)).isTrue();
      assertThat(session.outcome()).isEqualTo("QEMU reports: completed.");
      assertThat(session.guestRunning()).isTrue();
    }
  }

  /** As the same log shows it when it is opened afterwards. */
  @ParameterizedTest
  @CsvSource({
    "SOURCE, qemu-7.2-dyn-idle.source.log",
    "DESTINATION, qemu-7.2-dyn-idle.dest.log",
    "SOURCE, versions/qemu-11.1-pin.source.log.gz",
    "DESTINATION, versions/qemu-11.1-pin.dest.log.gz"
  })
  void watched_isWhatTheLogShows_andRecorded(Role role, String name) throws Exception {
    boolean isSource = role == Role.SOURCE;
    String text = real(name);
    Path file = directory.resolve("watched.wrs");
    Path log = Files.writeString(directory.resolve("whole.log"), text);
    try (SimulatedQemu qemu = isSource ? source() : destination();
        Recording opened = Recording.open("file", log)) {
      Recorder recorder = Recorder.begin(Output.of("--record", file, FileKind.RECORDING));
      Watch watch = watch(qemu);
      Session session = watch.sessions().leading();
      assertThat(session.role()).isEqualTo(role);
      recorder.add(session);
      qemu.setMigration("{\"status\": \"active\"}");
      qemu.log(text);
      awaitStatus(session, MigrationStatus.COMPLETED);
      qemu.setMigration(COMPLETED);
      qemu.setStatus(isSource ? "postmigrate" : "running");
      assertThat(session.await(PATIENCE)).isTrue();
      assertThat(session.outcome()).isEqualTo("QEMU reports: completed.");
      assertThat(session.guestRunning()).isEqualTo(!isSource);
      assertThat(session.notes()).isEmpty();
      assertAsBefore(qemu);
      RecordedSession same = opened.sessions().getFirst();
      List<Event> seen = session.telemetry().log().read(0, Integer.MAX_VALUE);
      assertThat(counts(seen)).isEqualTo(counts(events(same)));
      assertThat(seen)
          .filteredOn(event -> event.kind() == EventKind.STATUS)
          .extracting(Event::detail)
          .doesNotHaveDuplicates();
      for (Metric metric :
          List.of(
              Metric.WRITES_POSTED,
              Metric.WRITES_COMPLETED,
              Metric.SENDS_POSTED,
              Metric.RECEIVES_COMPLETED,
              Metric.REGISTRATIONS_TOTAL,
              Metric.REGISTRATION_ROUND_TRIPS)) {
        assertThat(session.telemetry().metrics().get(metric))
            .as("%s", metric)
            .isEqualTo(same.telemetry().metrics().get(metric));
      }
      if (isSource) {
        assertThat(session.uri()).isEqualTo("rdma:10.9.0.1");
        // From query-migrate.
        assertThat(session.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(5);
        assertThat(session.telemetry().metrics().get(Metric.RAM_TRANSFERRED)).isEqualTo(12);
        assertThat(session.report().downtime()).isEqualTo(84);
      }
      recorder.close();
      assertThat(recorder.failure()).isNull();
      try (Recording recording = Recording.open("file", file)) {
        assertThat(counts(events(recording.sessions().getFirst()))).isEqualTo(counts(seen));
      }
    }
  }

  private static List<Event> events(RecordedSession session) throws IOException {
    var events = new ArrayList<Event>();
    session.forEachEvent(events::add);
    return events;
  }

  @Test
  void failure_isToldInQemusWords() throws Exception {
    try (SimulatedQemu qemu = source()) {
      Session session = watch(qemu).sessions().leading();
      qemu.log("migrate_set_state new state setup\n");
      awaitStatus(session, MigrationStatus.SETUP);
      qemu.setMigration("{\"status\": \"failed\", \"error-desc\": \"no route\"}");
      assertThat(session.await(PATIENCE)).isTrue();
      assertThat(session.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(session.outcome()).isEqualTo("QEMU's migration failed: no route.");
      assertAsBefore(qemu);
    }
  }

  /** Its second answer to query-migrate is already that of the end. */
  @Test
  void migrationThatFailsAtOnce_endsTheWatch() throws Exception {
    try (SimulatedQemu qemu = source()) {
      qemu.setMigrationAfterNextAnswer("{\"status\": \"failed\", \"error-desc\": \"no route\"}");
      Session session = watch(qemu).sessions().leading();
      assertThat(session.await(PATIENCE)).isTrue();
      assertThat(session.outcome()).isEqualTo("QEMU's migration failed: no route.");
    }
  }

  @Test
  void qemuThatEnds_endsTheWatch() throws Exception {
    Session session;
    try (SimulatedQemu qemu = source()) {
      session = watch(qemu).sessions().leading();
    }
    assertThat(session.await(PATIENCE)).isTrue();
    assertThat(session.outcome()).startsWith("The QEMU can no longer be asked");
  }

  @Test
  void migrationThatHasBegun_isSaid() throws Exception {
    try (SimulatedQemu qemu = source()) {
      qemu.setMigration("{\"status\": \"active\"}");
      Watch watch = watch(qemu);
      assertThat(watch.sessions().leading().notes())
          .singleElement()
          .asString()
          .startsWith("The migration had begun");
      awaitStatus(watch.sessions().leading(), MigrationStatus.ACTIVE);
      watch.sessions().leading().close();
      assertThat(watch.sessions().leading().outcome())
          .isEqualTo("The watch was ended; the migration continues without it.");
    }
  }

  /**
   * QEMU 10.0 and 11.1 answer {@code setup} while they listen, at once or after migrate-incoming.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void destinationThatListens_hasNotBegun(boolean deferred) throws Exception {
    try (SimulatedQemu qemu = destination()) {
      qemu.setMigration(deferred ? "{}" : "{\"status\": \"setup\"}");
      Session session = watch(qemu).sessions().leading();
      qemu.setMigration("{\"status\": \"setup\"}");
      qemu.log(
          """
          2026-11-25T23:21:09.497299Z migrate_set_state new state setup
          2026-11-25T23:21:09.508450Z rdma_connect_incoming\s
          2026-11-25T23:21:24.567812Z qemu_rdma_dump_id dest_init RDMA Device opened: kernel name rxe0 uverbs device name uverbs0, infiniband_verbs class device path /sys/class/infiniband_verbs/uverbs0, infiniband class device path /sys/class/infiniband/rxe0, transport: (2) Ethernet
          """);
      new TimeLimit().await("the device", () -> session.device().equals("rxe0"));
      // It has been asked since.
      int asked = qemu.answersAboutMigration();
      new TimeLimit().await("two questions", () -> qemu.answersAboutMigration() >= asked + 2);
      assertThat(session.status()).isEqualTo(MigrationStatus.NONE);
      assertThat(session.notes()).isEmpty();
      session.close();
      assertThat(session.outcome()).isEqualTo("The watch was ended before a migration began.");
    }
  }

  @Test
  void eventsOfANewerQemu_areSwitchedOn_orNamed() throws Exception {
    try (SimulatedQemu qemu = source()) {
      List<String> used =
          List.of(
              "rdma_connect_outgoing_after_rdma_connect",
              "qemu_rdma_dump_id",
              "qemu_savevm_query_pending",
              "migrate_error");
      used.forEach(event -> qemu.traceEvents().put(event, false));
      qemu.traceEvents().put("qemu_rdma_frobnicate", false);
      qemu.traceEvents().put("migration_transferred_bytes", false);
      Session session = watch(qemu).sessions().leading();
      used.forEach(event -> assertThat(qemu.traceEvents()).containsEntry(event, true));
      assertThat(qemu.traceEvents())
          .containsEntry("qemu_rdma_frobnicate", false)
          .containsEntry("migration_transferred_bytes", false);
      assertThat(session.notes())
          .containsExactly(
              "This QEMU has trace events of RDMA that are not known here and stay off"
                  + " (qemu_rdma_frobnicate); what they tell is not shown.");
      session.close();
      used.forEach(event -> assertThat(qemu.traceEvents()).containsEntry(event, false));
    }
  }

  @Test
  void qemuWithoutLogBackEnd_isRefused() throws Exception {
    try (SimulatedQemu qemu = source()) {
      qemu.logNothing();
      assertThatThrownBy(() -> watch(qemu))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("without the log back end");
      assertThat(qemu.commands()).isEmpty();
    }
  }

  @Test
  void pipeThatQemuMayNotOpen_isRefused() throws Exception {
    try (SimulatedQemu qemu = source()) {
      qemu.refuseLogs();
      assertThatThrownBy(() -> watch(qemu))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(
              "cannot open a pipe of this user (Error opening logfile: Permission");
      assertAsBefore(qemu);
    }
  }

  @Test
  void qemuThatIsWatchedAlready_isRefused() throws Exception {
    try (SimulatedQemu qemu = source()) {
      ChangedTrace.Running here = ChangedTrace.Running.of(ProcessHandle.current());
      notes.put(
          new ChangedTrace(
              qemu.address(), here, here, directory.resolve("x/pipe"), "/dev/null", List.of()));
      assertThatThrownBy(() -> watch(qemu))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is watched by process");
    }
  }

  @Test
  void afterAKill_everythingIsPutBack() throws Exception {
    try (SimulatedQemu qemu = source()) {
      KilledWatch killed = KilledWatch.leave(qemu, directory);
      var abandoned = new AbandonedWatches(directory);
      assertThat(abandoned.sentences()).singleElement().asString().contains("was killed");
      assertThat(abandoned.putBack())
          .singleElement()
          .asString()
          .contains("goes to " + killed.formerLog());
      assertThat(qemu.traceEvents()).isEqualTo(BEFORE);
      assertThat(qemu.commands()).containsExactly("logfile " + killed.formerLog());
      assertThat(notes.all()).isEmpty();
      assertThat(killed.pipe().getParent()).doesNotExist();
    }
  }

  /** What the killed watch had found is what is put back, not what it had made of that. */
  @Test
  void afterAKill_nextWatchOfTheSameQemu_beginsWithPuttingBack() throws Exception {
    try (SimulatedQemu qemu = source()) {
      KilledWatch killed = KilledWatch.leave(qemu, directory);
      Session session = watch(qemu).sessions().leading();
      assertThat(qemu.commands()).startsWith("logfile " + killed.formerLog());
      session.close();
      assertThat(qemu.traceEvents()).isEqualTo(BEFORE);
      assertThat(qemu.commands()).endsWith("logfile " + killed.formerLog());
      assertThat(notes.all()).isEmpty();
    }
  }

  @Test
  void notesAboutProcessesThatHaveEnded_areRemoved() throws Exception {
    try (SimulatedQemu qemu = source()) {
      notes.put(
          new ChangedTrace(
              qemu.address(),
              new ChangedTrace.Running(ProcessHandle.current().pid(), 1),
              new ChangedTrace.Running(Integer.MAX_VALUE, 1),
              directory.resolve("gone/trace"),
              "/dev/null",
              List.of()));
      assertThat(notes.all()).isEmpty();
      assertThat(directory.resolve("watched")).isEmptyDirectory();
    }
  }
}
