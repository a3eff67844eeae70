// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Marks;
import org.wridscope.analysis.Requests;
import org.wridscope.memory.ChunkRelease;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.file.RecordingException;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.UnregisterStep;
import org.wridscope.telemetry.Wait;

/**
 * Trace logs as they are found: the two that QEMU commit b390afd8c50b quotes, other versions,
 * consoles, one end only. Those named {@code handwritten-} were not written by a QEMU.
 */
@Slow("logs are changed at random, and read, many times over")
final class QemuLogVariantsTest {
  private static final String DESTINATION = "qemu-6.0.50-out-of-order.dest.log";
  private static final String SOURCE = "qemu-6.0.50-out-of-order.source.log";

  @TempDir Path directory;

  private Path log(String name) throws IOException {
    return log(name, text -> text);
  }

  private Path log(String name, UnaryOperator<String> changed) throws IOException {
    Path file = directory.resolve(name);
    try (InputStream in = QemuLogVariantsTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      Files.writeString(file, changed.apply(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    }
    return file;
  }

  private static List<Event> events(RecordedSession session, EventKind kind) {
    return session.telemetry().log().read(0, Integer.MAX_VALUE).stream()
        .filter(event -> event.kind() == kind)
        .toList();
  }

  private static Explanation explained(
      @Nullable RecordedSession source, @Nullable RecordedSession destination) {
    return Explainer.explain(
        source == null ? null : new Requests(source.telemetry()).readAll(),
        destination == null ? null : new Requests(destination.telemetry()).readAll(),
        0,
        null);
  }

  // --------------------------------------------------------------------- the logs of the very bug

  /** How people paste a log. */
  enum Pasted {
    VERBATIM(text -> text),
    WITH_BLANKS(text -> text.replace('\u00a0', ' ')),
    WITH_A_HEADING(text -> "destination:\n" + text),
    ONLY_THE_EVENT(text -> text.lines().reduce("", (_, last) -> last)),
    WITH_A_PROMPT(text ->
        text.replace('\u00a0', ' ').replaceAll("(?m)^qemu_rdma_block", "(qemu) qemu_rdma_block")),
    QUOTED_IN_A_MAIL(text -> text.replaceAll("(?m)^", "> ")),
    WITH_TIMES(text ->
        text.replace('\u00a0', ' ')
            .replaceAll("(?m)^(\\(qemu\\) )?qemu_rdma_block", "88@1635473687.000123:$0")
            .replace(":(qemu) ", ":"));

    private final UnaryOperator<String> change;

    Pasted(UnaryOperator<String> change) {
      this.change = change;
    }
  }

  @ParameterizedTest
  @EnumSource(Pasted.class)
  void destinationOfTheCommit_isExplainedAsAHang(Pasted pasted) throws Exception {
    Path file = log(DESTINATION, pasted.change);
    try (Recording recording = Recording.open("file", file, Role.DESTINATION)) {
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.role()).isEqualTo(Role.DESTINATION);
      assertThat(events(session, EventKind.COMPLETION_DROPPED))
          .singleElement()
          .satisfies(event -> assertThat(event.wrid()).isEqualTo(4000));
      assertThat(session.telemetry().metrics().get(Metric.COMPLETIONS_DROPPED)).isEqualTo(1);
      Explanation explanation = explained(null, session);
      assertThat(explanation.state()).isEqualTo(Explanation.State.STUCK);
      assertThat(explanation.headline())
          .isEqualTo(
              "The destination dropped the completion of a receive that it has to wait for.");
      assertThat(explanation.key())
          .isNotNull()
          .satisfies(step ->
              assertThat(step.text())
                  .isEqualTo(
                      "The wait for its SEND to complete drops the completion of CONTROL RECV 0,"
                          + " which it does not expect."));
      assertThat(explanation.remedy()).contains("b390afd8c50b");
    }
  }

  @ParameterizedTest
  @EnumSource(Pasted.class)
  void sourceOfTheCommit_isMetWithoutHarm(Pasted pasted) throws Exception {
    Path file = log(SOURCE, pasted.change);
    // No end is given: only a source waits for an RDMA WRITE.
    try (Recording recording = Recording.open("file", file)) {
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.role()).isEqualTo(Role.SOURCE);
      assertThat(events(session, EventKind.COMPLETION_DROPPED)).isEmpty();
      assertThat(events(session, EventKind.COMPLETION_MET))
          .singleElement()
          .satisfies(event -> assertThat(event.wrid()).isEqualTo(4000));
      assertThat(session.telemetry().metrics().get(Metric.COMPLETIONS_MET)).isEqualTo(1);
      Explanation explanation = explained(session, null);
      assertThat(explanation.state()).isEqualTo(Explanation.State.RUNNING);
      assertThat(explanation.headline()).startsWith("Nothing is known to be wrong;");
      assertThat(explanation.steps())
          .extracting(Explanation.Step::text)
          .containsExactly(
              "At the source the wait for an RDMA WRITE to complete polls the completion of CONTROL"
                  + " RECV 0 and handles it, which is harmless.");
    }
  }

  @Test
  void logsOfTheCommit_areOneMigration_andTheConsoleIsUnderstood() throws Exception {
    List<Recording> open =
        Recording.openAll("file", List.of(log(DESTINATION), log(SOURCE)), Map.of(), null);
    try (Recording here = open.get(0);
        Recording there = open.get(1)) {
      for (Recording each : open) {
        assertThat(each.notes())
            .containsExactly(
                "The log has no times (-msg timestamp=on); its lines are shown one microsecond"
                    + " apart.");
        RecordedSession session = each.sessions().getFirst();
        assertThat(session.device()).isEqualTo("rxe_eth0");
        assertThat(session.uri()).isEqualTo("rdma:192.168.22.23:8888");
        assertThat(banner(session))
            .isEqualTo(
                "device rxe_eth0 (uverbs2, /sys/class/infiniband_verbs/uverbs2,"
                    + " /sys/class/infiniband/rxe_eth0), link layer Ethernet, source GID not"
                    + " traced, destination GID not traced");
        assertThat(session.outcome()).isNotNull().doesNotContain("disable-ticketing");
      }
      RecordedMigration migration =
          RecordedMigration.find(List.of(there, here), new ArrayList<>()).getFirst();
      Explanation explanation = explained(migration.source(), migration.destination());
      assertThat(explanation.state()).isEqualTo(Explanation.State.STUCK);
      assertThat(explanation.steps())
          .extracting(Explanation.Step::text)
          .anyMatch(text -> text.startsWith("The wait for its SEND to complete drops"))
          .anyMatch(text -> text.startsWith("At the source") && text.endsWith("harmless."));
    }
  }

  // ----------------------------------------------------------------------------------- which end

  @Test
  void logOfNoEnd_isRefused_untilSomebodyNamesIt() throws Exception {
    Path file = log("handwritten-7.2-no-end.log");
    assertThatThrownBy(() -> Recording.open("file", file))
        .isInstanceOf(UnknownEndException.class)
        .hasMessageContaining("is a trace log of QEMU, but its events do not show whether");
    for (Role role : Role.values()) {
      try (Recording recording = Recording.open("file", file, role)) {
        assertThat(recording.sessions().getFirst().role()).isEqualTo(role);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Role.class)
  void secondOfTwoLogs_isOfTheOtherEnd(Role role) throws Exception {
    Path unknown = log("handwritten-7.2-no-end.log");
    Path known = log(role == Role.SOURCE ? SOURCE : DESTINATION);
    List<Recording> open = Recording.openAll("file", List.of(unknown, known), Map.of(), null);
    try (Recording first = open.getFirst();
        Recording second = open.getLast()) {
      assertThat(first.file()).isEqualTo(unknown);
      assertThat(first.sessions().getFirst().role()).isEqualTo(role.other());
      assertThat(second.sessions().getFirst().role()).isEqualTo(role);
    }
  }

  @Test
  void logOfBothEnds_isThatOfTheFirst_withANote() throws Exception {
    Path file = directory.resolve("both.log");
    Files.writeString(
        file,
        Files.readString(log("qemu-7.2-ipv6.dest.log"))
            + Files.readString(log("qemu-7.2-no-listener.source.log")));
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions().getFirst().role()).isEqualTo(Role.DESTINATION);
      assertThat(recording.notes())
          .singleElement()
          .asString()
          .containsPattern("^[1-9]\\d* of \\d+ lines are ones that only a source writes;");
    }
  }

  /** A guest that libvirt started with {@code -incoming defer}; its events show no end. */
  @Test
  void commandLineOfAServiceManager_tellsTheEnd() throws Exception {
    Path file = directory.resolve("guest.log");
    Files.writeString(
        file,
        """
        LC_ALL=C \\
        /usr/bin/qemu-system-x86_64 \\
        -name guest=one,debug-threads=on \\
        -incoming defer \\
        -msg timestamp=on
        88@1795246250.590328:qemu_rdma_poll_other other completion CONTROL SEND (2000) received left 0
        """);
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions().getFirst().role()).isEqualTo(Role.DESTINATION);
      assertThat(recording.sessions().getFirst().uri()).isEqualTo("rdma:");
      assertThat(recording.notes())
          .containsExactly("1 of 6 lines were not understood; the first one is: -msg timestamp=on");
    }
  }

  static Stream<Arguments> linesOfOneEnd() {
    return Stream.of(
        Arguments.of("qemu_rdma_write_one_queue_full", Role.SOURCE),
        Arguments.of("qemu_rdma_registration_start 1", Role.SOURCE),
        Arguments.of("rdma_registration_stop_ram", Role.SOURCE),
        Arguments.of("qemu_rdma_post_send_control CONTROL: sending COMPRESS..", Role.SOURCE),
        Arguments.of("qemu_rdma_post_send_control CONTROL: sending READY..", Role.DESTINATION),
        Arguments.of(
            "qemu_rdma_exchange_get_response_start CONTROL: NONE receiving...", Role.DESTINATION),
        Arguments.of(
            "qemu_rdma_exchange_get_response_start CONTROL: READY receiving...", Role.SOURCE),
        Arguments.of("qemu_rdma_exchange_send_waiting Waiting for response X", Role.SOURCE),
        Arguments.of(
            "qemu_rdma_dump_gid dest_init Source GID: ::1, Dest GID: ::2", Role.DESTINATION),
        Arguments.of(
            "qemu_rdma_dump_gid source_resolve_addr Source GID: ::, Dest GID: ::", Role.SOURCE),
        Arguments.of("qemu_dma_accept_incoming_migration", Role.DESTINATION),
        Arguments.of("qemu_rdma_registration_handle_unregister_success 3", Role.DESTINATION),
        Arguments.of("savevm_state_header", Role.SOURCE),
        Arguments.of("loadvm_state_setup", Role.DESTINATION));
  }

  @ParameterizedTest
  @MethodSource("linesOfOneEnd")
  void anyEventOfOneEnd_tellsTheEnd(String line, Role role) throws Exception {
    Path file = directory.resolve("one.log");
    // The event comes after many others, and an event of both ends makes it a log.
    Files.writeString(
        file, "console\n".repeat(3_000) + "qemu_rdma_cleanup_disconnect \n" + line + "\n");
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.sessions().getFirst().role()).isEqualTo(role);
    }
  }

  // ----------------------------------------------------------------------- versions and consoles

  /** Name, end, device, status, completions of the send queue, notes besides that about times. */
  @ParameterizedTest
  @CsvSource({
    "qemu-7.2-unregister.dest.log, DESTINATION, rxe0, COMPLETED, 117, 0",
    "qemu-7.2-no-listener.source.log, SOURCE, rxe0, FAILED, 0, 0",
    "qemu-7.2-mismatch-blocks.source.log, SOURCE, rxe0, FAILED, 3, 0",
    "qemu-7.2-pinall-src-only.dest.log, DESTINATION, rxe0, COMPLETED, 61, 0",
    "handwritten-2.1-old-names.dest.log, DESTINATION, mlx4_0, ACTIVE, 7, 0",
    "handwritten-2.1-old-names.source.log, SOURCE, mlx4_0, ACTIVE, 3, 0",
    "handwritten-7.2-unregister.source.log, SOURCE, rxe0, COMPLETED, 8, 0",
    "handwritten-6.0-harmless.source.log, SOURCE, rxe0, COMPLETED, 4, 0",
    "handwritten-6.0-hang.dest.log, DESTINATION, rxe0, ACTIVE, 2, 0",
    "handwritten-6.0-hang.source.log, SOURCE, rxe0, SETUP, 2, 0",
    "handwritten-9.0-new-names.source.log, SOURCE, rxe0, COMPLETED, 2, 0",
    "handwritten-7.2-console.dest.log, DESTINATION, rxe7, NONE, 1, 1"
  })
  void logIsUnderstood(
      String name, Role role, String device, MigrationStatus status, int sent, int notes)
      throws Exception {
    try (Recording recording = Recording.open("file", log(name))) {
      assertThat(recording.notes().stream().filter(note -> !note.contains("has no times")))
          .hasSize(notes);
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.role()).isEqualTo(role);
      assertThat(session.device()).isEqualTo(device);
      assertThat(session.status()).isEqualTo(status);
      assertThat(events(session, EventKind.COMPLETION_SEND_QUEUE)).hasSize(sent);
    }
  }

  @Test
  void failureBeforeAnyConnection_isTheOutcome() throws Exception {
    try (Recording recording = Recording.open("file", log("qemu-7.2-ipv6.dest.log"))) {
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.outcome()).contains("does not support IPv6");
      assertThat(session.uri()).isEqualTo("rdma:[fd00::9]:7777");
    }
  }

  @Test
  void deviceAndRoute_areThoseOfTheBanner() throws Exception {
    for (String name : List.of("qemu-7.2-dyn-idle.source.log", "qemu-7.2-dyn-idle.dest.log")) {
      try (Recording recording = Recording.open("file", log(name))) {
        RecordedSession session = recording.sessions().getFirst();
        assertThat(events(session, EventKind.DEVICE_OPENED)).hasSize(1);
        assertThat(banner(session))
            .isEqualTo(
                "device rxe0 (uverbs0, /sys/class/infiniband_verbs/uverbs0,"
                    + " /sys/class/infiniband/rxe0), link layer Ethernet, source GID"
                    + " ::ffff:10.9.0.1, destination GID ::ffff:10.9.0.1");
      }
    }
  }

  private static String banner(RecordedSession session) {
    return EventText.banner(Objects.requireNonNull(session.telemetry().banner()));
  }

  @Test
  void failureBeforeAnyEvent_isTheOutcome_ofTheEndThatSomebodyNames() throws Exception {
    Path file = log("qemu-7.2-bad-address.source.log");
    assertThatThrownBy(() -> Recording.open("file", file)).isInstanceOf(UnknownEndException.class);
    try (Recording recording = Recording.open("file", file, Role.SOURCE)) {
      assertThat(recording.notes()).isEmpty();
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(session.outcome())
          .isEqualTo("QEMU said: RDMA ERROR: bad RDMA migration address '10.9.0.1'.");
    }
  }

  @Test
  void consoleAroundEvents_isNoPartOfThem() throws Exception {
    try (Recording recording = Recording.open("file", log("handwritten-7.2-console.dest.log"))) {
      assertThat(recording.notes().getFirst())
          .endsWith("lines were not understood; the first one is: Domain started");
      RecordedSession session = recording.sessions().getFirst();
      assertThat(session.telemetry().blocks().stream().map(ChunkTable::name))
          .containsExactly("pc.ram", "vga.vram");
      assertThat(events(session, EventKind.CONTROL_SENT)).hasSize(1);
      assertThat(events(session, EventKind.CONTROL_RECEIVED)).hasSize(1);
      // The command to trace it is not the event.
      assertThat(events(session, EventKind.DISCONNECTING)).hasSize(1);
    }
  }

  @Test
  void oldNames_haveTheMeaningOfTheNewOnes() throws Exception {
    List<Recording> open =
        Recording.openAll(
            "file",
            List.of(
                log("handwritten-2.1-old-names.source.log"),
                log("handwritten-2.1-old-names.dest.log")),
            Map.of(),
            null);
    try (Recording there = open.getFirst();
        Recording here = open.getLast()) {
      for (Recording each : open) {
        RecordedSession session = each.sessions().getFirst();
        assertThat(session.telemetry().blocks().stream().map(ChunkTable::name))
            .containsExactly("block 0", "block 1");
        assertThat(session.telemetry().blocks().getFirst().remoteKey(1)).isEqualTo(0x8d4);
        assertThat(session.uri()).isEqualTo("rdma:192.0.2.2");
      }
      ChunkTable table = here.sessions().getFirst().telemetry().blocks().getFirst();
      assertThat(table.state(1)).isEqualTo(ChunkState.SENT);
      assertThat(table.state(2)).isEqualTo(ChunkState.ZERO);
      RecordedSession source = there.sessions().getFirst();
      assertThat(source.telemetry().blocks().getFirst().state(1)).isEqualTo(ChunkState.SENT);
      assertThat(source.telemetry().metrics().get(Metric.COMPLETIONS_MET)).isEqualTo(1);
    }
  }

  // -------------------------------------------------------------------------------- what happened

  @ParameterizedTest
  @ValueSource(strings = {"handwritten-6.0-hang.dest.log", "handwritten-6.0-hang.source.log"})
  void hang_isExplainedStepByStep(String name) throws Exception {
    try (Recording recording = Recording.open("file", log(name))) {
      RecordedSession session = recording.sessions().getFirst();
      boolean ofSource = session.role() == Role.SOURCE;
      Explanation explanation = explained(ofSource ? session : null, ofSource ? null : session);
      assertThat(explanation.state()).isEqualTo(Explanation.State.STUCK);
      String me = ofSource ? "The source" : "The destination";
      String receive = ofSource ? "CONTROL RECV 1" : "CONTROL RECV 0";
      assertThat(explanation.headline())
          .isEqualTo(me + " waits for a completion that it dropped itself.");
      assertThat(explanation.steps())
          .extracting(Explanation.Step::text)
          .containsSubsequence(
              "The wait for the completion of CONTROL SEND (%s) drops the completion of %s, which it does not expect."
                  .formatted(ofSource ? "RAM BLOCKS REQUEST" : "READY", receive),
              "%s starts to wait for the completion of %s, which was dropped."
                  .formatted(me, receive));
    }
  }

  @Test
  void missOfAWrite_andOfAReceiveDuringOne_areMet_notDropped() throws Exception {
    try (Recording recording = Recording.open("file", log("handwritten-6.0-harmless.source.log"))) {
      RecordedSession session = recording.sessions().getFirst();
      Requests requests = new Requests(session.telemetry()).readAll();
      assertThat(requests.marks().count(Marks.Kind.DROPPED)).isZero();
      assertThat(requests.marks().count(Marks.Kind.MET)).isEqualTo(1);
      assertThat(session.telemetry().waits())
          .contains(new Wait(Wait.Kind.SEND_CONTEXT), new Wait(Wait.Kind.EARLIER_WRITE));
      // The wait for room, in which READY came, and the wait for the earlier write.
      List<Event> ended = events(session, EventKind.WAIT_END);
      assertThat(ended)
          .extracting(event -> session.telemetry().waits().get(event.detail()).kind())
          .containsSubsequence(Wait.Kind.SEND_CONTEXT, Wait.Kind.EARLIER_WRITE);
      assertThat(events(session, EventKind.CONTROL_RECEIVED)).hasSize(3);
    }
  }

  @Test
  void logWithoutTimes_hasItsCountersAtEachLine() throws Exception {
    try (Recording recording = Recording.open("file", log("handwritten-6.0-harmless.source.log"))) {
      RecordedSession session = recording.sessions().getFirst();
      long posted = events(session, EventKind.POST_WRITE).getFirst().nanos();
      session.moveTo(posted + 1_000);
      var metrics = session.telemetry().metrics();
      assertThat(metrics.get(Metric.WRITES_POSTED)).isEqualTo(1);
      assertThat(metrics.get(Metric.WRITES_COMPLETED)).isZero();
      assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isEqualTo(1);
    }
  }

  @Test
  void unregistrationAtTheSource_givesTheChunkOfItsBlockBack() throws Exception {
    try (Recording recording =
        Recording.open("file", log("handwritten-7.2-unregister.source.log"))) {
      RecordedSession session = recording.sessions().getFirst();
      var metrics = session.telemetry().metrics();
      assertThat(metrics.get(Metric.REGISTRATIONS_TOTAL)).isEqualTo(3);
      assertThat(metrics.get(Metric.REGISTRATIONS_PEAK)).isEqualTo(3);
      assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isEqualTo(1);
      assertThat(metrics.get(Metric.REGISTERED_BYTES)).isEqualTo(1 << 20);
      assertThat(metrics.get(Metric.UNREGISTER_HINTS)).isEqualTo(3);
      assertThat(metrics.get(Metric.UNREGISTRATIONS)).isEqualTo(2);
      assertThat(metrics.get(Metric.UNREGISTRATIONS_DEFERRED)).isEqualTo(1);
      assertThat(events(session, EventKind.DEREGISTERED))
          .extracting(Event::wrid)
          .containsExactly(wrid(0, 1), wrid(0, 2));
      assertThat(steps(session))
          .containsExactly(
              "queued 0/1 at 0",
              "queued 1/1 at 1",
              "already queued 1/1 at 0",
              "its turn 0/1 at 0",
              "deregistered and requested 0/1 at 0",
              "confirmed 0/1 at 0",
              "its turn 1/1 at 1",
              "postponed 1/1 at 0",
              "queued 0/2 at 2",
              "its turn 0/2 at 2",
              "deregistered and requested 0/2 at 0",
              "confirmed 0/2 at 0");
      assertThat(session.telemetry().blocks().get(0).release(1)).isEqualTo(ChunkRelease.GIVEN_BACK);
      assertThat(session.telemetry().blocks().get(1).release(1)).isEqualTo(ChunkRelease.PUT_OFF);
      assertThat(keys(session, EventKind.KEY_REQUESTED)).containsExactly("0/1", "1/1", "0/2");
      assertThat(keys(session, EventKind.KEY_GIVEN))
          .containsExactly("0/1 8d4", "1/1 8d5", "0/2 8d6");
      // Chunk 1 of both blocks was in the queue; that of block 1 was in transit.
      assertThat(session.telemetry().blocks().get(0).remoteKey(1)).isZero();
      assertThat(session.telemetry().blocks().get(1).remoteKey(1)).isEqualTo(0x8d5);
    }
  }

  @Test
  void unregistrationAtTheDestination_givesTheChunkBack() throws Exception {
    try (Recording recording = Recording.open("file", log("qemu-7.2-unregister.dest.log"))) {
      RecordedSession session = recording.sessions().getFirst();
      var metrics = session.telemetry().metrics();
      assertThat(metrics.get(Metric.UNREGISTRATIONS)).isEqualTo(3);
      assertThat(events(session, EventKind.DEREGISTERED))
          .extracting(Event::wrid)
          .as("the others at the end")
          .startsWith(wrid(0, 2), wrid(0, 3), wrid(0, 4))
          .hasSize((int) metrics.get(Metric.REGISTRATIONS_TOTAL));
      assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
      assertThat(session.telemetry().blocks().getFirst().state(2))
          .isEqualTo(ChunkState.NOT_REGISTERED);
      assertThat(session.telemetry().blocks().getFirst().release(2))
          .isEqualTo(ChunkRelease.GIVEN_BACK);
      assertThat(steps(session))
          .containsExactly(
              "asked for 0/2 at 0",
              "deregistered 0/2 at 0",
              "asked for 0/3 at 1",
              "deregistered 0/3 at 1",
              "asked for 0/4 at 2",
              "deregistered 0/4 at 2");
      assertThat(keys(session, EventKind.KEY_GIVEN))
          .hasSameSizeAs(keys(session, EventKind.KEY_REQUESTED));
    }
  }

  /** Every log that the tests have, changed at random: it opens, or says why not. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "qemu-6.0.50-out-of-order.dest.log",
        "qemu-7.2-unregister.dest.log",
        "qemu-7.2-mismatch-blocks.source.log",
        "handwritten-2.1-old-names.dest.log",
        "handwritten-2.1-old-names.source.log",
        "handwritten-6.0-hang.dest.log",
        "handwritten-6.0-harmless.source.log",
        "handwritten-7.2-console.dest.log",
        "handwritten-7.2-unregister.source.log",
        "handwritten-9.0-new-names.source.log"
      })
  void changedLog_neverBreaksTheImporter(String name) throws Exception {
    var random = new SplittableRandom(name.hashCode());
    Path file = log(name);
    List<String> sound = Files.readAllLines(file);
    for (int round = 0; round < 20; round++) {
      var lines = new ArrayList<>(sound);
      for (int i = 0; i < Math.max(2, lines.size() / 10); i++) {
        int at = random.nextInt(lines.size());
        lines.set(at, changed(lines.get(at), lines, random));
      }
      Files.write(file, lines);
      try (Recording recording = Recording.open("file", file, Role.SOURCE)) {
        for (RecordedSession session : recording.sessions()) {
          session.moveTo((session.firstNanos() + session.lastNanos()) / 2);
          session.moveTo(session.lastNanos());
          assertThat(explained(session, null)).isNotNull();
          QemuTraceText.write(session, new QemuTraceText.Form(true, false, true), line -> {});
        }
      } catch (RecordingException e) {
        assertThat(e).hasMessageContaining(name);
      }
    }
  }

  private static String changed(String line, List<String> lines, SplittableRandom random) {
    int at = random.nextInt(line.length() + 1);
    return switch (random.nextInt(5)) {
      case 0 -> line.substring(0, at);
      case 1 -> line.replaceAll("\\d+", "" + random.nextLong(Long.MAX_VALUE));
      case 2 -> line.replaceAll("\\d", "" + random.nextInt(10));
      case 3 -> line.substring(0, at) + "(qemu) " + line.substring(at);
      default -> lines.get(random.nextInt(lines.size()));
    };
  }

  private static List<String> steps(RecordedSession session) {
    return events(session, EventKind.UNREGISTER).stream()
        .map(event ->
            "%s %s at %d"
                .formatted(
                    Objects.requireNonNull(UnregisterStep.of(event.detail())).text(),
                    place(event.wrid()),
                    event.argument()))
        .toList();
  }

  private static List<String> keys(RecordedSession session, EventKind kind) {
    return events(session, kind).stream()
        .map(event ->
            place(event.wrid())
                + (kind == EventKind.KEY_GIVEN ? " %x".formatted(event.argument()) : ""))
        .toList();
  }

  private static String place(long wrid) {
    return WorkRequestId.block(wrid) + "/" + WorkRequestId.chunk(wrid);
  }

  private static long wrid(int block, long chunk) {
    return chunk << 30 | (long) block << 16 | 1;
  }
}
