// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.EventText;
import org.wridscope.control.MigrationReport;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.ClockAlignment;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;

/** Whole trace logs of QEMU 10.0 and 11.1 over soft-RoCE, opened as recordings. */
final class QemuVersionLogsTest {
  /** Between what the log and what {@code query-migrate} tells; QEMU writes lines later. */
  private static final long TOLERANCE_MILLIS = 70;

  private static final String UNTIMED = "The log has no times";

  @TempDir private Path directory;

  private Recording open(String name) throws IOException {
    Path file = directory.resolve(name);
    try (InputStream in =
        QemuVersionLogsTest.class.getResourceAsStream("versions/" + name + ".gz")) {
      assertThat(in).as(name).isNotNull();
      Files.write(file, new GZIPInputStream(in).readAllBytes());
    }
    return Recording.open("file", file);
  }

  private static Stream<Event> events(RecordedSession session, EventKind kind) {
    return session.telemetry().log().read(0, Integer.MAX_VALUE).stream()
        .filter(event -> event.kind() == kind);
  }

  private static void assertUnderstood(Recording recording, boolean timed) {
    assertThat(recording.notes()).hasSize(timed ? 0 : 1).allMatch(note -> note.startsWith(UNTIMED));
  }

  private static void assertConnected(RecordedSession session, Role role) {
    assertThat(session.role()).isEqualTo(role);
    assertThat(session.ofQemu()).isTrue();
    assertThat(session.device()).isEqualTo("rxe0");
    assertThat(session.uri()).isEqualTo("rdma:10.9.0.1");
    assertThat(EventText.banner(Objects.requireNonNull(session.telemetry().banner())))
        .isEqualTo(
            "device rxe0 (uverbs0, /sys/class/infiniband_verbs/uverbs0,"
                + " /sys/class/infiniband/rxe0), link layer Ethernet, source GID"
                + " ::ffff:10.9.0.1, destination GID ::ffff:10.9.0.1");
    assertThat(events(session, EventKind.DEVICE_OPENED)).hasSize(1);
  }

  /** The figures are those of {@code query-migrate} of the same migration. */
  @ParameterizedTest
  @CsvSource({
    // normal, duplicate, total-time, downtime, dirty-sync-count
    "10.0-dyn,      5746, 6688,  3577, 1117, 3",
    "10.0-pin,     12434,    0,  5909, 1781, 3",
    "10.0-dyn-nots, 6258, 6176,     0,    0, 3",
    "11.1-dyn,      6258, 6176,  3450,  680, 2",
    "11.1-pin,     12434,    0,  6285, 1438, 2",
    "11.1-dyn-nots, 7026, 5408,     0,    0, 2"
  })
  void bothEnds_areOneMigration_withTheFiguresOfQueryMigrate(
      String name, long normal, long duplicate, long totalTime, long downtime, long syncs)
      throws Exception {
    boolean timed = !name.endsWith("nots");
    try (Recording there = open("qemu-" + name + ".source.log");
        Recording here = open("qemu-" + name + ".dest.log")) {
      assertUnderstood(there, timed);
      assertUnderstood(here, timed);
      RecordedSession source = there.sessions().getFirst();
      RecordedSession destination = here.sessions().getFirst();
      assertConnected(source, Role.SOURCE);
      assertConnected(destination, Role.DESTINATION);
      for (RecordedSession end : List.of(source, destination)) {
        assertThat(end.status()).isEqualTo(MigrationStatus.COMPLETED);
        assertThat(end.outcome()).isEqualTo("QEMU reports: completed.");
        boolean pinAll = name.contains("pin");
        assertThat(events(end, EventKind.ESTABLISHED).map(Event::detail))
            .containsExactly(new Agreement(pinAll, pinAll, false).detail());
      }
      assertThat(source.telemetry().phases().stream().map(Phase::name))
          .containsExactly("connect", "set-up", "round 1", "round 2", "switch-over", "completed");
      assertThat(destination.telemetry().phases().stream().map(Phase::name))
          .containsExactly("listen", "connect", "set-up", "completed");
      MigrationReport report = source.report();
      assertThat(report.ram().total()).isEqualTo(50929664);
      assertThat(report.ram().normal()).isEqualTo(normal);
      assertThat(report.ram().duplicate()).isEqualTo(duplicate);
      assertThat(report.ram().remaining()).isZero();
      assertThat(report.ram().dirtySyncCount()).isEqualTo(syncs);
      assertThat(report.totalTime())
          .isBetween(totalTime, totalTime + (timed ? TOLERANCE_MILLIS : 0));
      if (timed) {
        assertThat(report.downtime())
            .isBetween(downtime - TOLERANCE_MILLIS, downtime + TOLERANCE_MILLIS);
      }
      assertThat(events(source, EventKind.ROUND_BEGIN)).hasSize(3);
      for (ControlType type : ControlType.values()) {
        assertThat(destination.telemetry().messagesReceived().get(type))
            .as("%s", type)
            .isEqualTo(source.telemetry().messagesSent().get(type));
        assertThat(source.telemetry().messagesReceived().get(type))
            .as("%s", type)
            .isEqualTo(destination.telemetry().messagesSent().get(type));
      }
      if (timed) {
        ClockAlignment alignment = ClockAlignment.of(source, destination);
        assertThat(alignment.byMessages()).as(alignment.sentence()).isFalse();
        assertThat(alignment.messages()).isGreaterThan(20);
      }
    }
  }

  /** What is left falls as QEMU tells it, in {@code migrate_pending_estimate} or its successor. */
  @ParameterizedTest
  @ValueSource(strings = {"qemu-10.0-dyn.source.log", "qemu-11.1-dyn.source.log"})
  void whatRemains_falls(String name) throws Exception {
    try (Recording recording = open(name)) {
      RecordedSession source = recording.sessions().getFirst();
      long paused = events(source, EventKind.GUEST_PAUSED).findFirst().orElseThrow().nanos();
      source.moveTo(paused);
      assertThat(source.telemetry().metrics().get(Metric.RAM_REMAINING))
          .isEqualTo(name.contains("10.0") ? 37269504 : 26763264);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0", "11.1"})
  void killedDestination_makesTheSourceFail(String version) throws Exception {
    try (Recording there = open("qemu-" + version + "-dest-killed.source.log");
        Recording here = open("qemu-" + version + "-dest-killed.dest.log")) {
      assertUnderstood(there, true);
      assertUnderstood(here, true);
      RecordedSession source = there.sessions().getFirst();
      assertConnected(source, Role.SOURCE);
      assertThat(source.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).isEqualTo("QEMU said: Channel error: Operation not permitted.");
      assertThat(events(source, EventKind.STATUS).map(Event::detail))
          .contains(MigrationStatus.FAILED.ordinal())
          .satisfies(statuses ->
              assertThat(statuses.contains(MigrationStatus.FAILING.ordinal()))
                  .isEqualTo(version.equals("11.1")));
      RecordedSession destination = here.sessions().getFirst();
      assertConnected(destination, Role.DESTINATION);
      assertThat(destination.status()).isEqualTo(MigrationStatus.ACTIVE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = "qemu-11.1-no-listener.source.log")
  void refusedConnection_isTheOutcome(String name) throws Exception {
    try (Recording recording = open(name)) {
      assertUnderstood(recording, true);
      RecordedSession source = recording.sessions().getFirst();
      assertConnected(source, Role.SOURCE);
      assertThat(source.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).isEqualTo("QEMU said: RDMA ERROR: connecting to destination!");
      assertThat(source.telemetry().phases().stream().map(Phase::name))
          .containsExactly("connect", "failed");
    }
  }
}
