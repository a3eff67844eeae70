// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** A trace log that is imported line by line shows the same as one that is opened afterwards. */
@Slow("every log is imported twice, live and at once, and compared")
final class LiveImportTest {
  /** Later than every time in a log. */
  private static final long LATER = Long.MAX_VALUE;

  @TempDir Path directory;

  private Path log(String name) throws IOException {
    Path file = directory.resolve(name);
    try (InputStream in = QemuLogTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      Files.write(file, in.readAllBytes());
    }
    return file;
  }

  private static LiveImport live(Role role, Set<Metric> others) throws IOException {
    return LiveImport.ofQemu(role, 0, 0, others);
  }

  /** Device and connection are known from the GIDs when those are traced, as they are live. */
  private static List<Event> events(SessionTelemetry telemetry, boolean timed) {
    var events = new ArrayList<Event>();
    for (Event event : telemetry.log().read(0, Integer.MAX_VALUE)) {
      if (event.kind() != EventKind.DEVICE_OPENED) {
        events.add(
            new Event(
                events.size(),
                timed ? event.nanos() : 0,
                event.kind(),
                event.detail(),
                event.length(),
                event.wrid(),
                event.argument()));
      }
    }
    return events;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "qemu-7.2-dyn-idle.source.log",
        "qemu-7.2-dyn-idle.dest.log",
        "qemu-7.2-pinall-idle.source.log",
        "qemu-7.2-pinall-idle.dest.log",
        "qemu-7.2-dest-killed.source.log",
        "qemu-7.2-unregister.dest.log",
        "qemu-6.0.50-out-of-order.source.log",
        "qemu-6.0.50-out-of-order.dest.log"
      })
  void sameEventsCountersAndChunks(String name) throws Exception {
    Path file = log(name);
    try (Recording recording = Recording.open("file", file)) {
      RecordedSession opened = recording.sessions().getFirst();
      LiveImport live = live(opened.role(), Set.of());
      for (String line : Files.readAllLines(file)) {
        live.add(line, LATER);
        live.show(0);
      }
      live.finish(LATER);
      SessionTelemetry telemetry = live.telemetry();
      assertThat(events(telemetry, opened.isTimed()))
          .isEqualTo(events(opened.telemetry(), opened.isTimed()));
      for (Metric metric : EnumSet.complementOf(EnumSet.of(Metric.SETUP_TIME, Metric.TOTAL_TIME))) {
        assertThat(telemetry.metrics().get(metric))
            .as("%s", metric)
            .isEqualTo(opened.telemetry().metrics().get(metric));
      }
      for (ControlType type : ControlType.values()) {
        assertThat(telemetry.messagesSent().get(type))
            .isEqualTo(opened.telemetry().messagesSent().get(type));
        assertThat(telemetry.messagesReceived().get(type))
            .isEqualTo(opened.telemetry().messagesReceived().get(type));
      }
      assertThat(telemetry.status()).isEqualTo(opened.status());
      assertThat(telemetry.waits()).isEqualTo(opened.telemetry().waits());
      assertThat(telemetry.blocks()).hasSameSizeAs(opened.telemetry().blocks());
      for (int i = 0; i < telemetry.blocks().size(); i++) {
        ChunkTable ours = telemetry.blocks().get(i);
        ChunkTable theirs = opened.telemetry().blocks().get(i);
        assertThat(ours.name()).isEqualTo(theirs.name());
        assertThat(ours.remoteAddress()).isEqualTo(theirs.remoteAddress());
        for (int chunk = 0; chunk < ours.chunkCount(); chunk++) {
          assertThat(ours.state(chunk)).isEqualTo(theirs.state(chunk));
          assertThat(ours.remoteKey(chunk)).isEqualTo(theirs.remoteKey(chunk));
          assertThat(ours.timesSent(chunk)).isEqualTo(theirs.timesSent(chunk));
        }
      }
      assertThat(live.notes())
          .isEqualTo(
              recording.notes().stream()
                  .filter(note -> !note.contains("no times") && !note.contains("not understood"))
                  .toList());
    }
  }

  @Test
  void sourceBeginsWithItsMigration() throws Exception {
    LiveImport live = live(Role.SOURCE, Set.of());
    live.show(5);
    assertThat(live.telemetry().phases()).containsExactly(new Phase(Phase.Kind.IDLE, 0));
    live.add("7@1.000000:migrate_set_state new state setup", LATER);
    live.show(5);
    assertThat(live.telemetry().phases())
        .containsExactly(
            new Phase(Phase.Kind.IDLE, 0), new Phase(Phase.Kind.CONNECT, 1_000_000_000));
  }

  @Test
  void linesWithoutTimes_haveTheTimeAtWhichTheyWereRead() throws Exception {
    LiveImport live = live(Role.SOURCE, Set.of());
    live.add("migrate_set_state new state setup", 77);
    live.show(80);
    assertThat(live.telemetry().log().read(0, 9)).extracting(Event::nanos).containsExactly(77L);
  }

  @Test
  void lineFromTheFuture_hasTheTimeAtWhichItWasRead() throws Exception {
    LiveImport live = live(Role.SOURCE, Set.of());
    live.add("7@1.000000:migrate_set_state new state setup", 77);
    live.show(80);
    assertThat(live.telemetry().log().read(0, 9)).extracting(Event::nanos).containsExactly(77L);
  }

  /** A log has anything that QEMU was told to log, as much and as long as it likes. */
  @Test
  void otherLines_areIgnored() throws Exception {
    LiveImport live = live(Role.SOURCE, Set.of());
    String line = "x".repeat(16_000);
    for (int i = 0; i < 1_000; i++) {
      live.add(line, 77);
      live.add("handle_qmp_command mon 0x1 req: " + line, 77);
    }
    live.finish(78);
    assertThat(live.notes()).isEmpty();
    assertThat(live.telemetry().log().size()).isZero();
  }

  @Test
  void metricsOfOthers_areTheirs() throws Exception {
    LiveImport live = live(Role.SOURCE, EnumSet.of(Metric.DIRTY_SYNC_COUNT));
    live.telemetry().metrics().set(Metric.DIRTY_SYNC_COUNT, 9);
    live.add("migration_bitmap_sync_start ", 77);
    live.add("migration_bitmap_sync_end dirty_pages 3", 78);
    live.show(80);
    assertThat(live.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(9);
  }

  @Test
  void statusKnownOtherwise_isShownUntilTheLogSaysMore() throws Exception {
    LiveImport live = live(Role.SOURCE, Set.of());
    live.enter(MigrationStatus.ACTIVE);
    live.show(1);
    assertThat(live.telemetry().status()).isEqualTo(MigrationStatus.ACTIVE);
    live.add("migrate_set_state new state device", 77);
    live.enter(MigrationStatus.ACTIVE);
    live.show(80);
    assertThat(live.telemetry().status()).isEqualTo(MigrationStatus.DEVICE);
    live.enter(MigrationStatus.COMPLETED);
    live.show(90);
    assertThat(live.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
  }

  @Test
  void connection() throws Exception {
    LiveImport live = live(Role.SOURCE, Set.of());
    live.add("rdma_start_outgoing_migration_after_rdma_connect ", 77);
    assertThat(live.isConnected()).isTrue();
    live.add("qemu_rdma_cleanup_disconnect ", 78);
    assertThat(live.isConnected()).isFalse();
  }

  @Test
  void readsEventsUnderTheNamesOfEveryVersion() {
    assertThat(LiveImport.reads("qemu_rdma_poll_write")).isTrue();
    assertThat(LiveImport.reads("rdma_registration_handle_wait")).isTrue();
    assertThat(LiveImport.reads("qemu_rdma_write_flush")).isFalse();
    assertThat(LiveImport.reads("rdma_poll_cq")).isFalse();
    assertThat(LiveImport.reads("savevm_section_start")).isFalse();
  }
}
