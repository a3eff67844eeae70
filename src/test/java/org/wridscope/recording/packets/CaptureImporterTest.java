// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.wridscope.recording.packets.CapturedConversation.HOST;
import static org.wridscope.recording.packets.CapturedConversation.KEY;
import static org.wridscope.recording.packets.CapturedConversation.QP_A;
import static org.wridscope.recording.packets.CapturedConversation.QP_B;
import static org.wridscope.recording.packets.CapturedConversation.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.ProgramAnalysis;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.Requests;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.recording.RecordedMigration;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.wire.Wire;

/** Captured packets of a migration become its two ends; those of others become a program. */
final class CaptureImporterTest {
  private static final int WRITE_ONLY = 10;
  private static final int MIB = 1 << 20;

  @TempDir private Path folder;

  private Recording open(Wire wire) throws IOException {
    return Recording.open("file", wire.file(folder.resolve("wire.pcap")));
  }

  private static List<Event> events(RecordedSession session, EventKind kind) throws IOException {
    var events = new ArrayList<Event>();
    session.forEachEvent(event -> {
      if (event.kind() == kind) {
        events.add(event);
      }
    });
    return events;
  }

  private static List<String> messages(RecordedSession session, EventKind kind) throws IOException {
    return events(session, kind).stream()
        .map(event ->
            "%s %d %d".formatted(ControlType.of(event.detail()), event.length(), event.argument()))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMigration_hasItsMessages_andItsWritesInTheirChunks(boolean pinAll) throws IOException {
    CapturedConversation talk = CapturedConversation.migration(pinAll);
    talk.disconnect();
    try (Recording recording = open(talk.wire())) {
      assertThat(recording.notes()).isEmpty();
      assertThat(recording.sessions()).hasSize(2).allMatch(RecordedSession::ofCapture);
      RecordedMigration migration =
          RecordedMigration.find(List.of(recording), new ArrayList<>()).getFirst();
      RecordedSession source = migration.source();
      RecordedSession destination = migration.destination();
      assertThat(source).isNotNull();
      assertThat(destination).isNotNull();
      assertThat(source.role()).isEqualTo(Role.SOURCE);
      assertThat(source.ownName()).isEqualTo("source 192.0.2.1 QP 17");
      assertThat(destination.ownName()).isEqualTo("destination 192.0.2.2 QP 18");
      assertThat(source.deviceReason()).startsWith("inferred");
      assertThat(source.tellsGuest()).isFalse();

      List<String> sent = messages(source, EventKind.CONTROL_SENT);
      assertThat(sent)
          .startsWith("QEMU_FILE %d 1".formatted(stream().length), "RAM_BLOCKS_REQUEST 0 1")
          .endsWith("REGISTER_FINISHED 0 1", "QEMU_FILE 50 1");
      assertThat(messages(destination, EventKind.CONTROL_RECEIVED)).isEqualTo(sent);
      assertThat(messages(source, EventKind.CONTROL_RECEIVED))
          .isEqualTo(messages(destination, EventKind.CONTROL_SENT))
          .contains("RAM_BLOCKS_RESULT 32 1");

      assertThat(events(source, EventKind.POST_WRITE))
          .extracting(Event::length)
          .containsExactly(2000, 2000);
      assertThat(events(source, EventKind.COMPLETION_SEND_QUEUE)).hasSize(sent.size() + 2);
      long messages =
          events(source, EventKind.CONTROL_SENT).stream()
              .mapToLong(event -> ControlHeader.BYTES + event.length())
              .sum();
      assertThat(source.telemetry().metrics().get(Metric.RAM_TRANSFERRED))
          .isEqualTo(4000 + messages);
      ChunkTable table = source.telemetry().blocks().getFirst();
      assertThat(table.name()).isEqualTo("pc.ram");
      assertThat(table.remoteAddress()).isEqualTo(HOST);
      assertThat(table.localAddress()).isZero();
      assertThat(table.timesSent(1)).isOne();
      assertThat(table.timesSent(2)).isOne();
      assertThat(table.state(3)).isEqualTo(ChunkState.ZERO);
      assertThat(destination.telemetry().blocks().getFirst().localAddress()).isEqualTo(HOST);
      assertThat(destination.telemetry().metrics().get(Metric.REGISTRATIONS_TOTAL)).isOne();
      assertThat(events(source, EventKind.ESTABLISHED))
          .singleElement()
          .extracting(event -> Agreement.of(event.detail()))
          .isEqualTo(new Agreement(pinAll, pinAll, false));
      assertThat(source.status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(source.outcome())
          .isEqualTo("The whole stream was sent, and the connection was closed.");
    }
  }

  @Test
  void aConnectionThatEndsEarly_isAFailedMigration() throws IOException {
    CapturedConversation talk = new CapturedConversation();
    talk.wire().connect(Wire.A, QP_A, new byte[8], Wire.B, QP_B, new byte[8]);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, stream());
    talk.wire().disconnect(Wire.B, Wire.A, QP_A);
    try (Recording recording = open(talk.wire())) {
      RecordedSession source = recording.sessions().getFirst();
      assertThat(source.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .isEqualTo("The connection was closed before the whole stream was sent.");
    }
  }

  @Test
  void writesThatNoKeyExplains_areTold() throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    talk.write(HOST, 0x9999);
    talk.write(HOST - 4096, KEY + 1);
    talk.acknowledge();
    try (Recording recording = open(talk.wire())) {
      assertThat(recording.notes())
          .hasSize(2)
          .anyMatch(note -> note.contains("1 RDMA WRITE to memory that no message"))
          .anyMatch(note -> note.contains("1 RDMA WRITE to memory for which no message"));
    }
  }

  /** The findings of an end about the wire, as {@code title: what was seen}. */
  private static List<String> findings(RecordedSession session) {
    List<Finding> all =
        session.migrates()
            ? Findings.of(new Requests(session.telemetry()).readAll(), Map.of())
            : ProgramAnalysis.findings(
                new Requests(session.telemetry()).readAll(), session.clock(System.nanoTime()));
    return all.stream()
        .filter(each -> each.seen().contains(" QP "))
        .map(each -> "%s %s: %s".formatted(each.severity().text(), each.title(), each.seen()))
        .toList();
  }

  private static RecordedSession source(Recording recording) {
    return recording.sessions().stream()
        .filter(each -> each.role() == Role.SOURCE)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRetransmission_isAnEvent_andAFinding() throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    int before = talk.wire().count();
    talk.write(HOST + MIB, KEY);
    talk.wire().repeat(before, 2).repeat(before, 1);
    talk.acknowledge();
    talk.disconnect();
    try (Recording recording = open(talk.wire())) {
      assertThat(recording.notes()).isEmpty();
      RecordedSession source = source(recording);
      assertThat(events(source, EventKind.WIRE_RETRANSMISSION))
          .extracting(WirePacket::of)
          .allMatch(packet -> packet.queuePair().number() == QP_A && !packet.isChanged())
          .extracting(packet -> EventText.work(packet, source.telemetry()))
          .containsExactly("WRITE pc.ram chunk 1", "WRITE pc.ram chunk 1");
      assertThat(source.telemetry().metrics().get(Metric.REQUESTS_SENT_AGAIN)).isEqualTo(2);
      assertThat(findings(source))
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("warning requests sent again: 2 retransmissions by QP 17 from ")
          .endsWith(": WRITE RDMA block 0 chunk 1 (2 times).");
    }
  }

  @Test
  void aMessageThatIsSentAgainWithOtherData_wasReleasedTooEarly() throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    talk.again(new byte[50]);
    talk.again(new byte[] {1});
    try (Recording recording = open(talk.wire())) {
      RecordedSession source = source(recording);
      assertThat(events(source, EventKind.WIRE_RETRANSMISSION))
          .extracting(event -> WirePacket.of(event).isChanged())
          .containsExactly(false, true);
      assertThat(findings(source))
          .singleElement(InstanceOfAssertFactories.STRING)
          .endsWith("1 with other data than before.");
      Requests requests = new Requests(source.telemetry()).readAll();
      assertThat(Findings.of(requests, Map.of()))
          .extracting(Finding::title)
          .contains("memory released too early");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0x20, warning RNR NAK, to be sent again after 655 ms",
    "0x2c, warning RNR NAK, to be sent again after 640 µs",
    "0x60, 'warning NAK, PSN sequence error', ''",
    "0x61, 'error NAK, invalid request', ''",
    "0x62, 'error NAK, remote access error', ''",
    "0x63, 'error NAK, remote operational error', ''",
    "0x64, warning reserved syndrome, ''",
    "0x7f, warning reserved syndrome, ''"
  })
  void aNegativeAcknowledgement_isAnEvent_andAFinding(String syndrome, String title, String more)
      throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    talk.write(HOST + MIB, KEY);
    talk.refuse(Integer.decode(syndrome));
    try (Recording recording = open(talk.wire())) {
      RecordedSession source = source(recording);
      assertThat(events(source, EventKind.WIRE_NAK))
          .singleElement()
          .satisfies(event -> assertThat(event.detail()).isEqualTo(Integer.decode(syndrome)));
      assertThat(findings(source))
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith(title + ": 1 negative acknowledgement to QP 17 at ")
          .contains(": WRITE RDMA block 0 chunk 1")
          .contains(more);
      assertThat(source.status() == MigrationStatus.FAILED).isEqualTo(title.startsWith("error"));
    }
  }

  @Test
  void aCongestionNotification_isAnEvent_andAFinding() throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    talk.congest();
    try (Recording recording = open(talk.wire())) {
      RecordedSession source = source(recording);
      assertThat(recording.notes()).isEmpty();
      assertThat(events(source, EventKind.WIRE_CNP)).hasSize(1);
      assertThat(findings(source))
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith("warning congestion notifications: 1 congestion notification to QP 17 at ");
    }
  }

  @Test
  void whatAProgramMetOnTheWire_isAFindingOfIt() throws IOException {
    var wire = new Wire();
    for (int i = 0; i < 4; i++) {
      byte[] head = Wire.reth(0x5000, KEY, 64);
      wire.add(Wire.A, Wire.B, WRITE_ONLY, QP_B, i, head, new byte[64]);
    }
    wire.acknowledge(Wire.B, Wire.A, QP_A, 1, 0x1f);
    wire.acknowledge(Wire.B, Wire.A, QP_A, 2, 0x60);
    wire.repeat(2, 2);
    wire.acknowledge(Wire.B, Wire.A, QP_A, 3, 0x1f);
    wire.acknowledge(Wire.B, Wire.A, QP_A, 9, 0x60);
    try (Recording recording = open(wire)) {
      RecordedSession program = recording.sessions().getFirst();
      assertThat(findings(program)).hasSize(2);
      assertThat(findings(program))
          .anyMatch(each -> each.contains("2 retransmissions by QP 17 from"))
          .anyMatch(each -> each.contains("RDMA_WRITE 0x2 of QP 17 to 192.0.2.2, "))
          .anyMatch(each -> each.contains("2 negative acknowledgements to QP 17 from"));
      assertThat(events(program, EventKind.WIRE_NAK))
          .extracting(event -> EventText.summary(event, program.telemetry()))
          .containsExactly(
              "wr_id 0x2, QP 17, PSN 2: NAK, PSN sequence error",
              "a request that was not captured, QP 17, PSN 9: NAK, PSN sequence error");
      Requests requests = new Requests(program.telemetry()).readAll();
      assertThat(ProgramAnalysis.explain(requests, "", false).steps())
          .extracting(step -> step.text())
          .containsExactly(
              "The peer's device answers RDMA_WRITE 0x2 of QP 17 to 192.0.2.2 with: NAK, PSN"
                  + " sequence error, the first of 2 such packets.",
              "The device sends RDMA_WRITE 0x2 of QP 17 to 192.0.2.2 again, the first of 2 such"
                  + " packets.");
      assertThat(RequestFacts.of(requests, QueueType.SEND, 2).history())
          .extracting(RequestFacts.Station::what)
          .containsExactly("posted", "answered", "sent again", "completed");
    }
  }

  @Test
  void otherTraffic_isAProgram() throws IOException {
    var wire = new Wire();
    for (int i = 0; i < 10; i++) {
      byte[] head = Wire.reth(0x5000, KEY, 64);
      wire.add(Wire.A, Wire.B, WRITE_ONLY, QP_B, i, head, new byte[64]);
    }
    wire.acknowledge(Wire.B, Wire.A, QP_A, 9, 0x1f);
    try (Recording recording = open(wire)) {
      RecordedSession program = recording.sessions().getFirst();
      assertThat(recording.sessions()).hasSize(1);
      assertThat(program.migrates()).isFalse();
      assertThat(program.ofCapture()).isTrue();
      assertThat(recording.notes()).isEmpty();
      assertThat(program.ownName()).isEqualTo("connections");
      assertThat(events(program, EventKind.PROGRAM_POST)).hasSize(10);
      assertThat(events(program, EventKind.PROGRAM_PEER))
          .singleElement()
          .extracting(event -> EventText.summary(event, program.telemetry()))
          .isEqualTo("QP 17 to 192.0.2.2");
      assertThat(events(program, EventKind.PROGRAM_COMPLETION)).hasSize(10);
    }
  }

  /** What the requests of a program are, as {@code opcode length immediate}. */
  private static List<String> requests(RecordedSession program) throws IOException {
    var all = new ArrayList<String>();
    program.forEachEvent(event -> {
      if (event.kind() == EventKind.PROGRAM_POST) {
        all.add("%s %d".formatted(OpcodeNames.ofRequest(event.detail() & 0xff), event.length()));
      } else if (event.kind() == EventKind.PROGRAM_IMMEDIATE) {
        all.set(all.size() - 1, all.getLast() + " 0x%08x".formatted(event.length()));
      }
    });
    return all;
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(4).putInt(value).array();
  }

  /** The headers of each opcode are those of IBTA 9.2 to 9.4, the path MTU is 1024. */
  @Test
  void eachOperation_hasItsLength_andItsImmediateData() throws IOException {
    var wire = new Wire();
    byte[] head = Wire.reth(0x5000, KEY, 2055);
    byte[] mtu = new byte[1024];
    wire.add(Wire.A, Wire.B, 4, QP_B, 0, new byte[141]);
    wire.add(Wire.A, Wire.B, 5, QP_B, 1, number(0x12345678), new byte[3]);
    wire.add(Wire.A, Wire.B, 5, QP_B, 2, number(-2));
    wire.add(Wire.A, Wire.B, 0, QP_B, 3, mtu).add(Wire.A, Wire.B, 2, QP_B, 4, new byte[1]);
    wire.add(Wire.A, Wire.B, 0, QP_B, 5, mtu).add(Wire.A, Wire.B, 1, QP_B, 6, mtu);
    wire.add(Wire.A, Wire.B, 3, QP_B, 7, number(7), mtu);
    wire.add(Wire.A, Wire.B, 0, QP_B, 8, mtu);
    wire.add(Wire.A, Wire.B, 22, QP_B, 9, number(KEY), new byte[10]);
    wire.add(Wire.A, Wire.B, 23, QP_B, 10, number(KEY), new byte[5]);
    wire.add(Wire.A, Wire.B, WRITE_ONLY, QP_B, 11, Wire.reth(0x5000, KEY, 9), new byte[9]);
    wire.add(
        Wire.A, Wire.B, 11, QP_B, 12, Wire.reth(0x5000, KEY, 2), number(0xabcdef), new byte[2]);
    wire.add(Wire.A, Wire.B, 6, QP_B, 13, head, mtu).add(Wire.A, Wire.B, 7, QP_B, 14, mtu);
    wire.add(Wire.A, Wire.B, 8, QP_B, 15, new byte[7]);
    wire.add(Wire.A, Wire.B, 6, QP_B, 16, head, mtu).add(Wire.A, Wire.B, 7, QP_B, 17, mtu);
    wire.add(Wire.A, Wire.B, 9, QP_B, 18, number(1), new byte[7]);
    wire.add(Wire.A, Wire.B, 12, QP_B, 19, Wire.reth(0x5000, KEY, 3000));
    wire.add(Wire.A, Wire.B, 19, QP_B, 22, new byte[28]);
    wire.add(Wire.A, Wire.B, 20, QP_B, 23, new byte[28]);
    wire.add(Wire.A, Wire.B, 4, QP_B, 24, new byte[0]);
    wire.acknowledge(Wire.B, Wire.A, QP_A, 24, 0x1f);
    try (Recording recording = open(wire)) {
      RecordedSession program = recording.sessions().getFirst();
      assertThat(requests(program))
          .containsExactly(
              "SEND 141",
              "SEND_WITH_IMM 3 0x12345678",
              "SEND_WITH_IMM 0 0xfffffffe",
              "SEND 1025",
              "SEND_WITH_IMM 3072 0x00000007",
              "SEND_WITH_INV 1034",
              "SEND_WITH_INV 5",
              "RDMA_WRITE 9",
              "RDMA_WRITE_WITH_IMM 2 0x00abcdef",
              "RDMA_WRITE 2055",
              "RDMA_WRITE_WITH_IMM 2055 0x00000001",
              "RDMA_READ 3000",
              "ATOMIC_CMP_AND_SWP 8",
              "ATOMIC_FETCH_AND_ADD 8",
              "SEND 0");
      Requests requests = new Requests(program.telemetry()).readAll();
      assertThat(RequestFacts.of(requests, QueueType.SEND, 1).signaled()).isNull();
      assertThat(events(program, EventKind.PROGRAM_POST))
          .extracting(event -> EventText.summary(event, program.telemetry()))
          .startsWith("SEND, wr_id 0x0, QP 17, 141 B")
          .noneMatch(text -> text.contains("unsignaled"));
      assertThat(events(program, EventKind.PROGRAM_IMMEDIATE))
          .first()
          .extracting(event -> EventText.summary(event, program.telemetry()))
          .isEqualTo("wr_id 0x1 with 0x12345678");
      long first = events(program, EventKind.PROGRAM_POST).get(3).nanos();
      assertThat(first - events(program, EventKind.PROGRAM_POST).getFirst().nanos())
          .as("a SEND was posted when its first packet passed")
          .isEqualTo(3000);
    }
  }

  @Test
  void oneDirection_doesNotTell_whatHasCompleted() throws IOException {
    var wire = new Wire();
    for (int i = 0; i < 3; i++) {
      wire.add(Wire.B, Wire.A, 0, QP_A, 2 * i, new byte[1024]);
      wire.add(Wire.B, Wire.A, 3, QP_A, 2 * i + 1, number(i), new byte[1024]);
    }
    try (Recording recording = open(wire)) {
      assertThat(recording.notes())
          .containsExactly(
              "Of 1 connection only one direction is in the capture, from 192.0.2.2 to QP 17 at"
                  + " 192.0.2.1: whether its requests have completed is not known.");
      Requests requests = new Requests(recording.sessions().getFirst().telemetry()).readAll();
      assertThat(ProgramAnalysis.findings(requests, requests.lastNanos()))
          .singleElement()
          .satisfies(finding -> {
            assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
            assertThat(finding.seen())
                .isEqualTo(
                    "3 requests on QP 17 to 192.0.2.1 without an acknowledgement in the"
                        + " capture: it is not known which of them have completed.");
          });
      assertThat(RequestFacts.of(requests, QueueType.SEND, 0).state())
          .isEqualTo("no acknowledgement in the capture");
      assertThat(requests.sends().knowsOpen()).isFalse();
    }
  }

  @Test
  void aCutCapture_doesNotSayThatTheMigrationRuns() throws IOException {
    CapturedConversation talk = new CapturedConversation();
    talk.wire().connect(Wire.A, QP_A, new byte[8], Wire.B, QP_B, new byte[8]);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, stream());
    talk.wire().remove(talk.wire().count() - 1);
    try (Recording recording = open(talk.wire())) {
      RecordedSession source = source(recording);
      Requests requests = new Requests(source.telemetry()).readAll();
      Explanation explained = Explainer.explain(requests, null, source.lastNanos(), null);
      assertThat(explained.headline())
          .isEqualTo("The capture ends while the migration runs; nothing wrong is seen.");
      assertThat(explained.summary())
          .contains("1 send or write has no acknowledgement in the capture");
      assertThat(Findings.of(requests, Map.of()))
          .extracting(Finding::title)
          .containsExactly("acknowledgements not captured");
    }
  }

  @Test
  void aCaptureWithoutRoce_isRefusedInOneSentence() {
    assertThatIOException()
        .isThrownBy(() -> open(new Wire()))
        .withMessageEndingWith(
            "It has no requests of reliable connections over RoCE or InfiniBand. It has no"
                + " packets.");
  }

  @Test
  void aCaptureOfOnlyCongestionNotifications_saysSo() {
    CapturedConversation talk = new CapturedConversation();
    talk.congest();
    talk.congest();
    assertThatIOException()
        .isThrownBy(() -> open(talk.wire()))
        .withMessageEndingWith(
            "It has 2 packets: 2 congestion notifications (CNP). The congestion notifications are"
                + " to 192.0.2.1 QP 17: a switch marked packets that it sent, which the capture"
                + " lacks.");
  }

  @Test
  void aCaptureOfOnlyAnswers_orOnlyConnecting_saysSo() {
    assertThatIOException()
        .isThrownBy(() -> open(new Wire().acknowledge(Wire.B, Wire.A, QP_A, 1, 0x1f)))
        .withMessageContaining("1 acknowledgements and responses")
        .withMessageEndingWith("answer requests of the other direction, which the capture lacks.");
    byte[] reject = ByteBuffer.allocate(232).putShort(10, (short) 28).array();
    assertThatIOException()
        .isThrownBy(() ->
            open(
                new Wire()
                    .manage(Wire.A, Wire.B, 0x10, new byte[232])
                    .manage(Wire.B, Wire.A, 0x12, reject)))
        .withMessageEndingWith(
            "The communication managers' messages are 1 REQ, 1 REJ with the reason 28.");
  }

  @ParameterizedTest
  @CsvSource({
    "147, link type 147",
    "197, Endace ERF records of type 25 (link type 197)",
    "105, IEEE 802.11 (link type 105)",
    "242, IP over InfiniBand (link type 242)"
  })
  void anotherLinkType_isNamed(int type, String name) throws IOException {
    byte[] frame = new byte[64];
    frame[8] = (byte) (0x80 | 25);
    Path file =
        Files.write(
            folder.resolve("link.pcap"),
            ByteBuffer.allocate(24 + 16 + 64)
                .putInt(0xa1b2c3d4)
                .putInt(20, type)
                .putInt(24 + 8, 64)
                .putInt(24 + 12, 64)
                .put(40, frame)
                .array());
    assertThatIOException()
        .isThrownBy(() -> Recording.open("file", file))
        .withMessageEndingWith(
            "It has 1 packet: 1 of %s, which is not read: what they carry is not known.", name);
  }

  @Test
  void aPackedCapture_isThatCapture() throws IOException {
    CapturedConversation talk = CapturedConversation.migration(false);
    talk.disconnect();
    byte[] pcap = talk.wire().pcap(ByteOrder.LITTLE_ENDIAN, true);
    Path file = folder.resolve("wire.pcap.gz");
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(pcap);
    }
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.notes()).isEmpty();
      assertThat(recording.file()).isEqualTo(file);
      assertThat(source(recording).name()).isEqualTo("wire.pcap.gz: source 192.0.2.1 QP 17");
      assertThat(source(recording).status()).isEqualTo(MigrationStatus.COMPLETED);
    }
    byte[] packed = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(packed, packed.length - 20));
    try (Recording recording = Recording.open("file", file)) {
      assertThat(recording.notes())
          .first(InstanceOfAssertFactories.STRING)
          .startsWith("The file is incomplete: its gzip data ends too early, after ");
    }
  }
}
