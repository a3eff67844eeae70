// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.wire.Wire;

/** Captured packets of a migration become its two ends; those of others become a program. */
final class CaptureImporterTest {
  private static final int SEND_ONLY = 4;
  private static final int WRITE_FIRST = 6;
  private static final int WRITE_LAST = 8;
  private static final int WRITE_ONLY = 10;
  private static final int QP_A = 17;
  private static final int QP_B = 18;
  private static final int KEY = 0x1234;
  private static final long HOST = 0x7f00_0000_0000L;
  private static final long OFFSET = 0x40_0000;
  private static final int MIB = 1 << 20;

  @TempDir private Path folder;

  /** Sends messages and RDMA WRITEs between two ends, and acknowledges them. */
  private static final class Conversation {
    final Wire wire = new Wire();
    private int psnA = 0xfffffd;
    private int psnB = 100;

    void send(boolean fromSource, ControlType type, byte[] payload) {
      ByteBuffer message = ByteBuffer.allocate(ControlHeader.BYTES + payload.length);
      int repeat = type == ControlType.QEMU_FILE ? 0xbad : 1;
      message.putInt(payload.length).putInt(type.value()).putInt(repeat).putInt(0).put(payload);
      String from = fromSource ? Wire.A : Wire.B;
      String to = fromSource ? Wire.B : Wire.A;
      int psn = fromSource ? psnA++ : psnB++;
      wire.add(from, to, SEND_ONLY, fromSource ? QP_B : QP_A, psn, message.array());
      wire.acknowledge(to, from, fromSource ? QP_A : QP_B, psn, 0x1f);
    }

    void write(long address, int key) {
      byte[] head = Wire.reth(address, key, 2000);
      wire.add(Wire.A, Wire.B, WRITE_FIRST, QP_B, psnA, head, new byte[1024]);
      wire.add(Wire.A, Wire.B, WRITE_LAST, QP_B, psnA + 1, new byte[976]);
      psnA += 2;
    }

    void acknowledge() {
      wire.acknowledge(Wire.B, Wire.A, QP_A, psnA - 1, 0x1f);
    }
  }

  /** The beginning of a migration stream, with one block of 4 MiB. */
  private static byte[] stream() {
    byte[] machine = "pc".getBytes(StandardCharsets.US_ASCII);
    byte[] ram = "ram".getBytes(StandardCharsets.US_ASCII);
    byte[] name = "pc.ram".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes = ByteBuffer.allocate(200);
    bytes.putInt(0x5145564d).putInt(3).put((byte) 7).putInt(machine.length).put(machine);
    bytes.put((byte) 1).putInt(2).put((byte) 3).put(ram).putInt(0).putInt(4);
    bytes.putLong(4 * MIB | 4).put((byte) name.length).put(name).putLong(4 * MIB);
    bytes.putLong(0x80);
    byte[] all = new byte[bytes.position()];
    bytes.get(0, all);
    return all;
  }

  private static byte[] lastPart() {
    return ByteBuffer.allocate(13).put((byte) 3).putInt(2).putLong(0x80).array();
  }

  private static Conversation migration(boolean pinAll) {
    var talk = new Conversation();
    int flags = pinAll ? Capabilities.PIN_ALL : 0;
    byte[] private1 = Capabilities.of(flags).toBytes();
    talk.wire.connect(Wire.A, QP_A, private1, Wire.B, QP_B, private1);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, stream());
    talk.send(true, ControlType.RAM_BLOCKS_REQUEST, new byte[0]);
    ByteBuffer blocks = ByteBuffer.allocate(RemoteBlock.BYTES);
    new RemoteBlock(HOST, OFFSET, 4 * MIB, pinAll ? KEY : 0).encode(blocks);
    talk.send(false, ControlType.RAM_BLOCKS_RESULT, blocks.array());
    if (!pinAll) {
      ByteBuffer command = ByteBuffer.allocate(24);
      new RegisterCommand(OFFSET + MIB + 4096, 0, 1).encode(command);
      talk.send(true, ControlType.REGISTER_REQUEST, command.array());
      ByteBuffer result = ByteBuffer.allocate(RegisterResult.BYTES);
      new RegisterResult(KEY, HOST).encode(result);
      talk.send(false, ControlType.REGISTER_RESULT, result.array());
    }
    talk.write(HOST + MIB + 4096, KEY);
    talk.write(HOST + 2 * MIB, KEY);
    talk.acknowledge();
    ByteBuffer zeros = ByteBuffer.allocate(24);
    new CompressCommand(0, 0, OFFSET + 3 * MIB, 4096).encode(zeros);
    talk.send(true, ControlType.COMPRESS, zeros.array());
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, lastPart());
    talk.send(true, ControlType.REGISTER_FINISHED, new byte[0]);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, new byte[50]);
    return talk;
  }

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
    Conversation talk = migration(pinAll);
    talk.wire.disconnect(Wire.A, Wire.B, QP_B);
    try (Recording recording = open(talk.wire)) {
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
      assertThat(source.telemetry().metrics().get(Metric.RAM_TRANSFERRED)).isEqualTo(4000);
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
    Conversation talk = new Conversation();
    talk.wire.connect(Wire.A, QP_A, new byte[8], Wire.B, QP_B, new byte[8]);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, stream());
    talk.wire.disconnect(Wire.B, Wire.A, QP_A);
    try (Recording recording = open(talk.wire)) {
      RecordedSession source = recording.sessions().getFirst();
      assertThat(source.status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .isEqualTo("The connection was closed before the whole stream was sent.");
    }
  }

  @Test
  void writesThatNoKeyExplains_areTold() throws IOException {
    Conversation talk = migration(false);
    talk.write(HOST, 0x9999);
    talk.write(HOST - 4096, KEY + 1);
    talk.acknowledge();
    try (Recording recording = open(talk.wire)) {
      assertThat(recording.notes())
          .hasSize(2)
          .anyMatch(note -> note.contains("1 RDMA WRITE to memory that no message"))
          .anyMatch(note -> note.contains("1 RDMA WRITE to memory for which no message"));
    }
  }

  @Test
  void whatWentWrongOnTheWire_isTold() throws IOException {
    Conversation talk = migration(false);
    int last = talk.wire.count();
    talk.wire.acknowledge(Wire.B, Wire.A, QP_A, 5, 0x2c).repeat(last - 2, 1);
    talk.wire.add(Wire.B, Wire.A, 0x81, QP_A, 0, new byte[16]);
    try (Recording recording = open(talk.wire)) {
      assertThat(recording.notes())
          .hasSize(3)
          .anyMatch(note -> note.contains("Requests were sent again 1 time,"))
          .anyMatch(note -> note.contains("1 negative acknowledgement: receiver not ready"))
          .anyMatch(note -> note.contains("try again after 640 µs"))
          .anyMatch(note -> note.contains("1 congestion notification (CNP)"));
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
      assertThat(events(program, EventKind.PROGRAM_POST)).hasSize(10);
      assertThat(events(program, EventKind.PROGRAM_COMPLETION)).hasSize(10);
    }
  }

  @Test
  void aCaptureWithoutRoce_isRefusedInOneSentence() {
    assertThatIOException()
        .isThrownBy(() -> open(new Wire()))
        .withMessageContaining("It has no requests of reliable RoCEv2 connections");
  }
}
