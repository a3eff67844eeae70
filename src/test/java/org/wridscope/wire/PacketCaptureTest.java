// SPDX-License-Identifier: Apache-2.0
package org.wridscope.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.verbs.WorkCompletionStatus;

/** What packets say becomes requests, completions and what went wrong; none of it is believed. */
final class PacketCaptureTest {
  private static final int QP_A = 17;
  private static final int QP_B = 34;
  private static final int KEY = 0x77;

  @TempDir private Path folder;

  private static byte[] data(int length) {
    byte[] data = new byte[length];
    new Random(length).nextBytes(data);
    return data;
  }

  /** Writes down what it is told. */
  private static final class Notes implements CaptureListener {
    final List<String> lines = new ArrayList<>();

    private void add(int end, @Nullable WireRequest request, String what) {
      lines.add(
          "%s %s%s"
              .formatted(
                  end == 0 ? "a" : "b",
                  request == null ? "" : request.kind() + " " + request.number() + " ",
                  what));
    }

    @Override
    public void began(WireConnection connection, int end, WireRequest request, long nanos) {
      add(end, request, "began");
    }

    @Override
    public void sent(WireConnection connection, int end, WireRequest request, long nanos) {
      var content = request.content();
      add(end, request, "sent " + (content == null ? "?" : content.remaining()));
    }

    @Override
    public void completed(
        WireConnection connection,
        int end,
        WireRequest request,
        WorkCompletionStatus status,
        long nanos) {
      add(end, request, status.name());
    }

    @Override
    public void repeated(
        WireConnection connection,
        int end,
        WireRequest request,
        boolean otherData,
        int psn,
        long nanos) {
      add(end, request, (otherData ? "other data" : "repeated") + " from " + psn);
    }

    @Override
    public void refused(
        WireConnection connection,
        int end,
        @Nullable WireRequest request,
        Syndrome syndrome,
        int psn,
        long nanos) {
      add(end, request, "refused 0x%x of %d".formatted(syndrome.value(), psn));
    }

    @Override
    public void congested(WireConnection connection, int end, long nanos) {
      add(end, null, "congested");
    }

    @Override
    public void disconnecting(WireConnection connection, int end, long nanos) {
      add(end, null, "disconnecting");
    }
  }

  private List<String> told(Wire wire) throws IOException {
    return told(wire.file(folder.resolve("wire.pcap")));
  }

  private static List<String> told(Path file) throws IOException {
    var notes = new Notes();
    notes.lines.addAll(Capture.of(file).read(notes));
    return notes.lines;
  }

  /** A SEND of three packets, an RDMA WRITE of three without its middle, an RDMA READ. */
  private static Wire usual(Wire wire, String a, String b, int psn) {
    return wire.add(a, b, Opcode.SEND_FIRST, QP_B, psn, data(1024))
        .add(a, b, Opcode.SEND_MIDDLE, QP_B, psn + 1, data(1024))
        .add(a, b, Opcode.SEND_LAST, QP_B, psn + 2, data(10))
        .acknowledge(b, a, QP_A, psn + 2, 0x1f)
        .add(b, a, Opcode.SEND_ONLY, QP_A, 5, data(16))
        .add(a, b, Opcode.WRITE_FIRST, QP_B, psn + 3, Wire.reth(0x1000, KEY, 3000), data(1024))
        .add(a, b, Opcode.WRITE_LAST, QP_B, psn + 5, data(952))
        .add(a, b, Opcode.READ_REQUEST, QP_B, psn + 6, Wire.reth(0x2000, KEY, 1500))
        .add(a, b, Opcode.FETCH_ADD, QP_B, psn + 8, new byte[28])
        .acknowledge(a, b, QP_B, 5, 0x1f)
        .acknowledge(b, a, QP_A, psn + 5, 0x1f)
        .add(b, a, Opcode.READ_RESPONSE_FIRST, QP_A, psn + 6, new byte[4], data(1024))
        .add(b, a, Opcode.READ_RESPONSE_LAST, QP_A, psn + 7, new byte[4], data(476))
        .add(b, a, Opcode.ATOMIC_ACKNOWLEDGE, QP_A, psn + 8, new byte[12]);
  }

  private static final String[] USUAL = {
    "a SEND 0 began",
    "a SEND 0 sent 2058",
    "a SEND 0 SUCCESS",
    "b SEND 0 began",
    "b SEND 0 sent 16",
    "a WRITE 1 began",
    "a READ 2 began",
    "a FETCH_ADD 3 began",
    "b SEND 0 SUCCESS",
    "a WRITE 1 SUCCESS",
    "a READ 2 SUCCESS",
    "a FETCH_ADD 3 SUCCESS"
  };

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 0xfffffe, 0xfffffb, 0x7fffff})
  void requests_areFound_aroundTheEndOfTheNumbers(int psn) throws IOException {
    assertThat(told(usual(new Wire(), Wire.A, Wire.B, psn))).containsExactly(USUAL);
  }

  @ParameterizedTest
  @CsvSource({"1,false", "1,true", "113,false", "276,false", "101,false"})
  void everyLinkType_isRead(int type, boolean vlan) throws IOException {
    Wire wire = new Wire().link(type);
    if (vlan) {
      wire.inVlan();
    }
    assertThat(told(usual(wire, Wire.A6, Wire.B6, 9))).containsExactly(USUAL);
  }

  /** By a LID, or by a GID where there is a global route header. */
  @ParameterizedTest
  @CsvSource({
    "247, false, 7, 9, LID 7, LID 9",
    "197, false, 7, 49151, LID 7, LID 49151",
    "197, false, 192.0.2.1, 192.0.2.2, 192.0.2.1, 192.0.2.2",
    "247, false, fe80::2:c903:0:1, 2001:db8::2, fe80:0:0:0:2:c903:0:1, 2001:db8:0:0:0:0:0:2",
    "197, false, fe80::2:c903:0:1, fe80::2, fe80:0:0:0:2:c903:0:1, fe80:0:0:0:0:0:0:2",
    "1, true, fe80::1, ::ffff:192.0.2.9, fe80:0:0:0:0:0:0:1, 192.0.2.9",
    "113, true, fe80::1, fe80::2, fe80:0:0:0:0:0:0:1, fe80:0:0:0:0:0:0:2"
  })
  void infiniBand_andVersion1OfRoce_areRead(
      int type, boolean version1, String a, String b, String nameOfA, String nameOfB)
      throws IOException {
    Wire wire = new Wire().link(type);
    if (version1) {
      wire.ofVersion1();
    }
    usual(wire.connect(a, QP_A, data(8), b, QP_B, data(4)), a, b, 9).disconnect(a, b, QP_B);
    var expected = new ArrayList<>(List.of(USUAL));
    expected.add("a disconnecting");
    // Without a note: also the invariant CRC is right.
    assertThat(told(wire)).containsExactlyElementsOf(expected);
    WireConnection found =
        Capture.of(wire.file(folder.resolve("wire.pcap"))).connections().getFirst();
    assertThat(found.first()).hasToString(nameOfA + " QP 17");
    assertThat(found.second()).hasToString(nameOfB + " QP 34");
    assertThat(found.reply().slice(0, 4)).isEqualTo(ByteBuffer.wrap(data(4)));
  }

  private Wire ofInfiniBand(int count) {
    Wire wire = new Wire().link(Wire.INFINIBAND);
    for (int i = 0; i < count; i++) {
      wire.add("7", "9", Opcode.SEND_ONLY, QP_B, i, data(8));
    }
    return wire;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0x31, of another link version of InfiniBand",
    "1, 0x50, of raw datagrams over InfiniBand",
    "1, 0x51, of IPv6 over raw InfiniBand",
    "8, 0x24, of unreliable connections (UC)",
    "9, 0x41, of another transport version"
  })
  void packetsOfInfiniBand_thatAreNotRead_areNamed(int at, String value, String name)
      throws IOException {
    byte[] file = ofInfiniBand(1).pcap(ByteOrder.LITTLE_ENDIAN, true);
    file[24 + 16 + at] = (byte) (int) Integer.decode(value);
    Capture capture = Capture.of(Files.write(folder.resolve("other"), file));
    assertThat(capture.connections()).isEmpty();
    assertThat(capture.refusal()).contains("1 " + name);
  }

  @ParameterizedTest
  // Longer than what was captured, too short for a transport header, none.
  @ValueSource(ints = {0x7ff, 12, 5, 2, 0})
  void lengthsOfInfiniBand_thatContradict_areCounted(int words) throws IOException {
    byte[] file = ofInfiniBand(2).pcap(ByteOrder.LITTLE_ENDIAN, true);
    ByteBuffer.wrap(file).putShort(24 + 16 + 4, (short) words);
    assertThat(told(Files.write(folder.resolve("length"), file)))
        .contains("1 packet with headers that contradict their lengths, and left out.");
  }

  @ParameterizedTest
  @CsvSource({
    // The length in a global route header, its version, what follows it.
    "12, 0x7fff, 1 packet with headers that contradict",
    "12, 10, 1 packet with headers that contradict",
    "8, 0x4001, 1 packet with headers that contradict"
  })
  void globalRouteHeaders_thatContradict_areCounted(int at, String value, String note)
      throws IOException {
    Wire wire = new Wire().link(Wire.INFINIBAND);
    for (int i = 0; i < 2; i++) {
      wire.add("fe80::1", "fe80::2", Opcode.SEND_ONLY, QP_B, i, data(8));
    }
    byte[] file = wire.pcap(ByteOrder.LITTLE_ENDIAN, true);
    ByteBuffer.wrap(file).putShort(24 + 16 + at, (short) (int) Integer.decode(value));
    assertThat(told(Files.write(folder.resolve("length"), file)))
        .anyMatch(line -> line.startsWith(note));
  }

  @Test
  void congestionOfInfiniBand_isTold() throws IOException {
    Wire wire = ofInfiniBand(2);
    wire.add("9", "7", Opcode.SEND_ONLY, QP_A, 1, data(8)).acknowledge("9", "7", QP_A, 1, 0x1f);
    wire.add("9", "7", Opcode.CONGESTION_OF_INFINIBAND, QP_A, 0, new byte[16]);
    byte[] file = wire.pcap(ByteOrder.LITTLE_ENDIAN, true);
    // The forward mark of the first packet, and the backward mark of the second one.
    file[24 + 16 + 8 + 4] |= (byte) 0x80;
    int length = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(24 + 8);
    file[24 + 16 + length + 16 + 8 + 4] |= 0x40;
    assertThat(told(Files.write(folder.resolve("marks"), file)))
        .contains(
            "a congested",
            "1 packet marked by a switch as having met congestion.",
            "1 packet that told the receiver that its own packets meet congestion (BECN).")
        .noneMatch(line -> line.contains("invariant CRC"));
  }

  /** A record whose heads were captured, but not the packet in it, and one that names no packet. */
  @Test
  void recordsOfEndace_areChecked() throws IOException {
    Wire wire = new Wire().link(Wire.ERF).snap(20);
    wire.add("7", "9", Opcode.SEND_ONLY, QP_B, 1, data(8));
    assertThat(told(wire))
        .containsExactly("1 packet captured too short for their headers, and left out.");
    wire.snap(1 << 18);
    byte[] file = wire.pcap(ByteOrder.LITTLE_ENDIAN, true);
    file[24 + 16 + 8] = 25;
    Capture capture = Capture.of(Files.write(folder.resolve("link"), file));
    assertThat(capture.refusal()).contains("Endace ERF records of type 25 (link type 197)");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1 polled the completion of PSN 7 to QP 34 of 192.0.2.2 at 50.000000001 s since 1970, 1",
    // After the packet that tells it, more than a day before, at no time, and no such sentence.
    "192.0.2.1 polled the completion of PSN 7 to QP 34 of 192.0.2.2 at 50.000000009 s since 1970, 0",
    "192.0.2.1 polled the completion of PSN 7 to QP 34 of 192.0.2.2 at 0.000000000 s since 1970, 0",
    "192.0.2.1 polled the completion of PSN 7 to QP 34 of 192.0.2.2 at noon, 0",
    "192.0.2.1 polled the completion of PSN 777777777 to QP 34 of 192.0.2.2 at 50.000000001 s"
        + " since 1970, 0",
    "polled at 50.000000001 s since 1970, 0"
  })
  void aCommentAboutAPoll_isBelievedIfItCanBeRight(String text, int nanos) {
    ByteBuffer comment = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    long second = 50_000_000_000L;
    Polled expected = new Polled(new Host(Wire.A), new Host(Wire.B), 34, 7, second + 1);
    assertThat(Polled.read(comment, second + 5)).isEqualTo(nanos == 0 ? null : expected);
    assertThat(expected.comment())
        .asString()
        .startsWith("192.0.2.1 polled the completion of PSN 7");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyFormat_hasTheSameTimes(boolean little) throws IOException {
    ByteOrder order = little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    Wire wire = usual(new Wire(), Wire.A, Wire.B, 1);
    for (byte[] file :
        List.of(
            wire.pcap(order, true),
            wire.pcap(order, false),
            wire.pcapng(order, false),
            wire.pcapng(order, true))) {
      Path path = Files.write(folder.resolve("any"), file);
      Capture capture = Capture.of(path);
      assertThat(capture.firstNanos()).isEqualTo(1_700_000_000_000_001_000L);
      assertThat(capture.lastNanos()).isEqualTo(1_700_000_000_000_014_000L);
      assertThat(told(path)).containsExactly(USUAL);
    }
  }

  @Test
  void queuePairs_areConnectedByTheirManagers_otherwiseByAcknowledgements() throws IOException {
    Wire wire = new Wire().connect(Wire.B, QP_B, data(8), Wire.A, QP_A, data(4));
    usual(wire, Wire.A, Wire.B, 7).disconnect(Wire.A, Wire.B, QP_B);
    Path file = wire.file(folder.resolve("managed"));
    WireConnection managed = Capture.of(file).connections().getFirst();
    assertThat(managed.first().queuePair()).isEqualTo(QP_B);
    assertThat(managed.second().queuePair()).isEqualTo(QP_A);
    assertThat(managed.request().remaining()).isEqualTo(56);
    assertThat(managed.request().slice(0, 8)).isEqualTo(ByteBuffer.wrap(data(8)));
    assertThat(managed.reply().remaining()).isEqualTo(196);
    assertThat(managed.reply().slice(0, 4)).isEqualTo(ByteBuffer.wrap(data(4)));
    assertThat(told(file)).contains("b SEND 0 sent 2058", "b disconnecting");

    Wire unmanaged = usual(new Wire(), Wire.A, Wire.B, 7);
    WireConnection learned =
        Capture.of(unmanaged.file(folder.resolve("learned"))).connections().getFirst();
    assertThat(learned.first()).hasToString("192.0.2.1 QP 17");
    assertThat(learned.second()).hasToString("192.0.2.2 QP 34");
  }

  @Test
  void manyConnectionsBetweenTwoHosts_areToldApart() throws IOException {
    var wire = new Wire();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 20; i++) {
        int psn = i * 500_000 + round;
        wire.add(Wire.A, Wire.B, Opcode.SEND_ONLY, 100 + i, psn, data(8));
      }
      for (int i = 19; i >= 0; i--) {
        wire.acknowledge(Wire.B, Wire.A, 200 + i, i * 500_000 + round, 0);
      }
    }
    List<WireConnection> found = Capture.of(wire.file(folder.resolve("many"))).connections();
    assertThat(found).hasSize(20);
    assertThat(found)
        .allSatisfy(each ->
            assertThat(each.first().queuePair()).isEqualTo(each.second().queuePair() + 100));
  }

  @Test
  void whatIsSentAgain_orRefused_isTold() throws IOException {
    Wire wire =
        new Wire()
            .connect(Wire.A, QP_A, data(8), Wire.B, QP_B, data(8))
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 0, data(8))
            .acknowledge(Wire.B, Wire.A, QP_A, 0, 0x2c)
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 0, data(8))
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 0, new byte[8])
            .acknowledge(Wire.B, Wire.A, QP_A, 0, 0x1f)
            .add(Wire.B, Wire.A, Opcode.CONGESTION, QP_A, 0, new byte[16])
            .add(Wire.A, Wire.B, Opcode.WRITE_ONLY, QP_B, 1, Wire.reth(0, KEY, 8), data(8))
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 3, data(8))
            .acknowledge(Wire.B, Wire.A, QP_A, 2, 0x60)
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 2, data(8))
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 3, data(8))
            .acknowledge(Wire.B, Wire.A, QP_A, 3, 0x62);
    assertThat(told(wire))
        .containsExactly(
            "a SEND 0 began",
            "a SEND 0 sent 8",
            "a SEND 0 refused 0x2c of 0",
            "a SEND 0 repeated from 0",
            "a SEND 0 other data from 0",
            "a SEND 0 SUCCESS",
            "a congested",
            "a WRITE 1 began",
            "a SEND 2 began",
            "a SEND 2 sent 8",
            "a WRITE 1 SUCCESS",
            "a refused 0x60 of 2",
            "a SEND 3 began",
            "a SEND 3 sent 8",
            "a SEND 2 repeated from 3",
            "a SEND 3 SUCCESS",
            "a SEND 2 refused 0x62 of 3",
            "a SEND 2 REM_ACCESS_ERR");
  }

  /** Else a program that sends large messages would fill the memory. */
  @Test
  void messages_areForgotten_theOldestFirst_whenTheyAreTooManyBytes() throws IOException {
    Wire wire = new Wire().connect(Wire.A, QP_A, data(8), Wire.B, QP_B, data(8));
    for (int i = 0; i < 4; i++) {
      wire.add(Wire.A, Wire.B, Opcode.SEND_FIRST, QP_B, 2 * i, data(1024))
          .add(Wire.A, Wire.B, Opcode.SEND_LAST, QP_B, 2 * i + 1, data(976))
          .acknowledge(Wire.B, Wire.A, QP_A, i, 0x1f);
    }
    var requests = new ArrayList<WireRequest>();
    var whole = new ArrayList<Boolean>();
    Capture.of(wire.file(folder.resolve("wire.pcap")))
        .read(
            new CaptureListener() {
              @Override
              public void sent(
                  WireConnection connection, int end, WireRequest request, long nanos) {
                requests.add(request);
                whole.add(request.content() != null);
              }
            },
            new KeptMessages(2 * (2000 + KeptMessages.REQUEST_BYTES)));

    assertThat(whole).containsExactly(true, true, true, true);
    assertThat(requests)
        .extracting(request -> request.content() != null)
        .containsExactly(false, false, true, true);
    assertThat(requests).extracting(WireRequest::length).containsOnly(2000L);
  }

  @Test
  void whatWasNotCaptured_isCounted() throws IOException {
    Wire lost = usual(new Wire(), Wire.A, Wire.B, 1).remove(0);
    assertThat(told(lost))
        .contains("2 packets of messages whose first packet is not in the capture, left out.");
    Wire gap =
        new Wire()
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 1, data(8))
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 5, data(8));
    assertThat(told(gap))
        .contains("3 packets not in the capture, although later ones of the same connection are.");
    Wire cut = usual(new Wire().snap(100), Wire.A, Wire.B, 1);
    assertThat(told(cut))
        .contains("a SEND 0 sent ?", "a FETCH_ADD 3 SUCCESS")
        .anyMatch(line -> line.startsWith("6 packets captured only in part"));
    Wire headless = usual(new Wire().snap(40), Wire.A, Wire.B, 1);
    assertThat(told(headless))
        .containsExactly("14 packets captured too short for their headers, and left out.");
  }

  @Test
  void damagedFiles_areReadAsFarAsTheyGo() throws IOException {
    byte[] whole = usual(new Wire(), Wire.A, Wire.B, 1).pcap(ByteOrder.BIG_ENDIAN, false);
    Path cut = Files.write(folder.resolve("cut"), Arrays.copyOf(whole, 3000));
    assertThat(told(cut))
        .contains("a SEND 0 began")
        .anyMatch(line -> line.contains("it ends at byte 3000, within a packet"));
    byte[] wrong = whole.clone();
    wrong[24 + 8] = 0x7f;
    assertThat(told(Files.write(folder.resolve("wrong"), wrong)))
        .containsExactly(
            "The capture is damaged or incomplete: before byte 40 it has a packet length of"
                + " 2130707514.");
    byte[] flipped = whole.clone();
    flipped[24 + 16 + 60] ^= 1;
    assertThat(told(Files.write(folder.resolve("flipped"), flipped)))
        .contains("1 packet with a wrong invariant CRC, which a device drops; they are shown.");
  }

  /** Whatever a file holds, reading it ends, and only with what it is allowed to say. */
  @Test
  void mutatedCaptures_neverBreakTheReader() throws IOException {
    Wire wire = new Wire().connect(Wire.A, QP_A, data(8), Wire.B, QP_B, data(8));
    usual(wire, Wire.A, Wire.B, 0xfffffe).repeat(4, 5).disconnect(Wire.A, Wire.B, QP_B);
    List<byte[]> originals =
        List.of(
            wire.pcap(ByteOrder.LITTLE_ENDIAN, true),
            wire.pcapng(ByteOrder.BIG_ENDIAN, true),
            usual(new Wire().link(Wire.ERF), "fe80::1", "fe80::2", 1)
                .pcap(ByteOrder.BIG_ENDIAN, true));
    var random = new Random(4791);
    for (int i = 0; i < 1200; i++) {
      byte[] file = originals.get(i % 3).clone();
      for (int changes = 1 + random.nextInt(8); changes > 0; changes--) {
        file[random.nextInt(file.length)] =
            (byte) (random.nextBoolean() ? random.nextInt(256) : random.nextInt(4) * 85);
      }
      int length = random.nextInt(4) == 0 ? random.nextInt(file.length) : file.length;
      Path path = folder.resolve("mutated");
      Files.write(path, Arrays.copyOf(file, length));
      assertThat(told(path)).isNotNull();
    }
  }

  @ParameterizedTest
  @CsvSource({
    // Of SENDs: the first, a middle and the last packet; of the RDMA WRITE likewise.
    "0, 1",
    "1, 1",
    "2, 1",
    "3, 1",
    "4, 1",
    "5, 1",
    "6, 1",
    "7, 1",
    "8, 1",
    "9, 1",
    // The responses to the RDMA READ.
    "11, 1",
    "12, 1",
    "13, 1"
  })
  void aPacketThatIsMissing_isCounted_alsoWithinAMessage(int removed, int missing)
      throws IOException {
    var wire = new Wire();
    for (int i = 0; i < 2; i++) {
      wire.add(Wire.A, Wire.B, Opcode.SEND_FIRST, QP_B, 3 * i, data(1024))
          .add(Wire.A, Wire.B, Opcode.SEND_MIDDLE, QP_B, 3 * i + 1, data(1024))
          .add(Wire.A, Wire.B, Opcode.SEND_LAST, QP_B, 3 * i + 2, data(10));
    }
    wire.add(Wire.A, Wire.B, Opcode.WRITE_FIRST, QP_B, 6, Wire.reth(0x1000, KEY, 4000), data(1024))
        .add(Wire.A, Wire.B, Opcode.WRITE_MIDDLE, QP_B, 7, data(1024))
        .add(Wire.A, Wire.B, Opcode.WRITE_MIDDLE, QP_B, 8, data(1024))
        .add(Wire.A, Wire.B, Opcode.WRITE_LAST, QP_B, 9, data(928))
        .add(Wire.A, Wire.B, Opcode.READ_REQUEST, QP_B, 10, Wire.reth(0x2000, KEY, 3000))
        .add(Wire.B, Wire.A, Opcode.READ_RESPONSE_FIRST, QP_A, 10, new byte[4], data(1024))
        .add(Wire.B, Wire.A, Opcode.READ_RESPONSE_MIDDLE, QP_A, 11, data(1024))
        .add(Wire.B, Wire.A, Opcode.READ_RESPONSE_LAST, QP_A, 12, new byte[4], data(952))
        .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 13, data(1))
        .acknowledge(Wire.B, Wire.A, QP_A, 13, 0x1f);
    assertThat(told(wire)).noneMatch(line -> line.contains("not in the capture"));
    // With the first packet of all, the sequence begins one later.
    wire.remove(removed);
    assertThat(told(wire))
        .filteredOn(line -> line.contains("not in the capture, although"))
        .hasSize(removed == 0 ? 0 : 1)
        .allMatch(line -> line.startsWith(missing + " packet not in"));
  }

  @Test
  void answersToWhatWasSentBefore_areCounted() throws IOException {
    Wire wire =
        new Wire()
            .acknowledge(Wire.B, Wire.A, QP_A, 3, 0x1f)
            .add(Wire.A, Wire.B, Opcode.SEND_ONLY, QP_B, 4, data(1))
            .acknowledge(Wire.B, Wire.A, QP_A, 4, 0x1f);
    assertThat(told(wire))
        .contains(
            "1 answer to requests that were sent before the capture began; those are not shown.");
  }
}
