// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.DeviceChoice;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LocalSessions;
import org.wridscope.control.Session;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.RecordedLab;
import org.wridscope.recording.Recorder;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** Recordings as traces of QEMU: every form of them can be opened, whatever the recording is. */
final class QemuTraceTextTest {
  private static final QemuTraceText.Form TIMED = new QemuTraceText.Form(true, false, false);

  @TempDir static Path shared;
  private static Path recording;

  @TempDir Path directory;

  @BeforeAll
  static void record() throws Exception {
    recording = shared.resolve("lab.wrs");
    RecordedLab.record(recording);
  }

  private static RecordedSession session(Recording of, Role role) {
    return of.sessions().stream().filter(each -> each.role() == role).findFirst().orElseThrow();
  }

  private static List<String> trace(RecordedSession session, QemuTraceText.Form form)
      throws IOException {
    var lines = new ArrayList<String>();
    QemuTraceText.write(session, form, lines::add);
    return lines;
  }

  private Recording open(List<String> lines) throws IOException {
    Path log = directory.resolve("trace.log");
    Files.write(log, lines);
    return Recording.open("FILE", log);
  }

  private static List<String> messages(RecordedSession session) throws IOException {
    return texts(
        session,
        event ->
            event.kind() == EventKind.CONTROL_SENT || event.kind() == EventKind.CONTROL_RECEIVED,
        event -> event.kind() + " " + ControlType.of(event.detail()));
  }

  private static List<String> registrations(RecordedSession session) throws IOException {
    return texts(
        session,
        event -> event.kind() == EventKind.REGISTERED || event.kind() == EventKind.DEREGISTERED,
        event -> "%s %x +%d".formatted(event.kind(), event.wrid(), event.length()));
  }

  private static List<String> texts(
      RecordedSession session, Predicate<Event> wanted, Function<Event, String> text)
      throws IOException {
    var all = new ArrayList<String>();
    session.forEachEvent(event -> {
      if (wanted.test(event)) {
        all.add(text.apply(event));
      }
    });
    return all;
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void everyForm_canBeOpened(Role role) throws Exception {
    try (Recording recorded = Recording.open("FILE", recording)) {
      RecordedSession session = session(recorded, role);
      for (boolean times : new boolean[] {true, false}) {
        for (boolean comparable : new boolean[] {true, false}) {
          for (boolean all : new boolean[] {true, false}) {
            var form = new QemuTraceText.Form(times, comparable, all);
            try (Recording read = open(trace(session, form))) {
              assertThat(read.notes())
                  .as("%s", form)
                  .noneMatch(note -> note.contains("understood"));
              assertThat(read.sessions().getFirst().role()).isEqualTo(role);
              assertThat(messages(read.sessions().getFirst())).isEqualTo(messages(session));
            }
          }
        }
      }
    }
  }

  /** Nothing is in transit at the end of a migration that completed. */
  @Test
  void writesLeft_areThoseThatNoCompletionCovers() throws Exception {
    try (Recording recorded = Recording.open("FILE", recording)) {
      RecordedSession source = session(recorded, Role.SOURCE);
      List<String> lines = trace(source, new QemuTraceText.Form(false, false, false));
      long writes = source.telemetry().metrics().get(Metric.WRITES_POSTED);
      assertThat(lines.stream().filter(line -> line.startsWith("qemu_rdma_poll_write ")))
          .hasSize((int) writes);
      assertThat(lines.stream().filter(line -> line.startsWith("qemu_rdma_poll_other ")).toList())
          .last()
          .asString()
          .endsWith(" left 0");
    }
  }

  /** What QEMU writes of a migration that completes, and in which order. */
  @Test
  void source_hasTheStepsOfQemu() throws Exception {
    try (Recording recorded = Recording.open("FILE", recording)) {
      assertThat(names(trace(session(recorded, Role.SOURCE), TIMED)))
          .containsSubsequence(
              "migrate_set_state",
              "qemu_rdma_resolve_host_trying",
              "qemu_rdma_dump_gid",
              "rdma_add_block",
              "qemu_rdma_init_ram_blocks",
              "rdma_start_outgoing_migration_after_rdma_source_init",
              "qemu_rdma_connect_pin_all_outcome",
              "rdma_start_outgoing_migration_after_rdma_connect",
              "qemu_rdma_registration_start",
              "qemu_rdma_registration_stop_ram",
              "qemu_rdma_exchange_send_waiting",
              "qemu_rdma_exchange_send_received",
              "qemu_rdma_registration_stop",
              "qemu_rdma_write_one_sendreg",
              "qemu_rdma_register_and_get_keys",
              "qemu_rdma_write_one_recvregres",
              "qemu_rdma_write_one_top",
              "qemu_rdma_write_one_post",
              "qemu_rdma_write_flush",
              "qemu_rdma_poll_write",
              "qemu_rdma_close",
              "qemu_rdma_cleanup_disconnect",
              "rdma_delete_block");
    }
  }

  @Test
  void destination_hasTheStepsOfQemu() throws Exception {
    try (Recording recorded = Recording.open("FILE", recording)) {
      assertThat(names(trace(session(recorded, Role.DESTINATION), TIMED)))
          .containsSubsequence(
              "rdma_start_incoming_migration",
              "qemu_rdma_dest_init_trying",
              "rdma_start_incoming_migration_after_dest_init",
              "rdma_start_incoming_migration_after_rdma_listen",
              "qemu_rdma_accept_incoming_migration",
              "qemu_rdma_accept_pin_state",
              "rdma_add_block",
              "qemu_rdma_init_ram_blocks",
              "qemu_rdma_dump_gid",
              "qemu_rdma_accept_incoming_migration_accepted",
              "qemu_rdma_fill",
              "rdma_block_notification_handle",
              "qemu_rdma_registration_handle_wait",
              "qemu_rdma_registration_handle_ram_blocks",
              "qemu_rdma_registration_handle_ram_blocks_loop",
              "qemu_rdma_registration_handle_finished",
              "qemu_rdma_registration_handle_register",
              "qemu_rdma_registration_handle_register_loop",
              "qemu_rdma_register_and_get_keys",
              "qemu_rdma_registration_handle_register_rkey",
              "qemu_rdma_close",
              "qemu_rdma_cleanup_disconnect",
              "rdma_delete_block");
    }
  }

  private static List<String> names(List<String> lines) {
    return lines.stream()
        .map(line -> line.replaceFirst("^\\d+@\\d+\\.\\d+:", "").split(" ", 2)[0])
        .toList();
  }

  /** No event appears that only the other end has, and none that is never written. */
  @ParameterizedTest
  @EnumSource(Role.class)
  void lines_areThoseOfTheirEnd(Role role) throws Exception {
    Map<String, QemuTraceEvent> events = new HashMap<>();
    for (QemuTraceEvent event : QemuTraceEvent.values()) {
      events.put(event.qemuName(), event);
    }
    try (Recording recorded = Recording.open("FILE", recording)) {
      for (String name : names(trace(session(recorded, role), TIMED))) {
        QemuTraceEvent event = events.get(name);
        if (event != null) {
          assertThat(event.writing()).as(name).isNotEqualTo(QemuTraceEvent.Writing.NEVER);
          Role end = Objects.requireNonNull(QemuEventParser.decisions().get(name), name).end();
          assertThat(end == null ? role : end).as(name).isEqualTo(role);
        }
      }
    }
  }

  /** A recording of which only a part was written, such as when the program was killed. */
  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.5, 0.8, 0.95})
  void partOfARecording_canBeTracedAndOpened(double part) throws Exception {
    byte[] bytes = Files.readAllBytes(recording);
    Path cut = directory.resolve("cut.wrs");
    Files.write(cut, Arrays.copyOf(bytes, (int) (part * bytes.length)));
    try (Recording recorded = Recording.open("FILE", cut)) {
      assertThat(recorded.sessions()).isNotEmpty();
      for (RecordedSession session : recorded.sessions()) {
        try (Recording read = open(trace(session, TIMED))) {
          assertThat(read.notes()).isEmpty();
          RecordedSession same = read.sessions().getFirst();
          assertThat(same.role()).isEqualTo(session.role());
          assertThat(messages(same)).isEqualTo(messages(session));
          assertThat(registrations(same)).isEqualTo(registrations(session));
        }
      }
    }
  }

  /** Only the beginning of a trace tells its end. */
  @Test
  void destinationThatNobodyCalled_canBeTracedAndOpened() throws Exception {
    Path file = directory.resolve("alone.wrs");
    try (var sessions = new LocalSessions();
        var recorder = Recorder.begin(Output.of("--record", file, FileKind.RECORDING))) {
      Session alone =
          sessions.startDestination(
              new DestinationSettings(
                  "rdma:127.0.0.1:0",
                  new DeviceChoice.Software(),
                  GuestSettings.Synthetic.incoming(1 << 20)));
      recorder.add(alone);
      alone.cancel();
      assertThat(alone.await(Duration.ofMinutes(1))).isTrue();
    }
    try (Recording recorded = Recording.open("FILE", file);
        Recording read = open(trace(recorded.sessions().getFirst(), TIMED))) {
      assertThat(read.notes()).isEmpty();
      assertThat(read.sessions().getFirst().role()).isEqualTo(Role.DESTINATION);
      assertThat(read.sessions().getFirst().status()).isEqualTo(MigrationStatus.CANCELLED);
    }
  }
}
