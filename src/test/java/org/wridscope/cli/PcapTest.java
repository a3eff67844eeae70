// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.analysis.Explainer;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.Findings;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.WirePacket;
import org.wridscope.wire.Wire;

/** {@code lab --pcap}: the packets of a migration are those of its recording. */
@Slow("whole migrations, in real time")
final class PcapTest {
  /** Without the guesses about payload, which may be any bytes of RAM. */
  private static final List<String> GUESSES =
      List.of(
          "rpcordma",
          "smc",
          "smb_direct",
          "nvme-rdma",
          "lnet",
          "iser",
          "infiniband_sdp",
          "fcoib",
          "infiniband.eoib");

  /** What a device takes for a chunk at most, in the time of a scheduled lab, in nanoseconds. */
  private static final long STEP_NANOS = 600_000;

  @TempDir private Path folder;

  private static CommandRun run(String... args) {
    return CommandRun.real(args);
  }

  /** What both ways of looking at a migration have to agree on. */
  private record Seen(
      List<String> sent,
      List<String> received,
      Map<String, String> writes,
      Map<Metric, Long> counts) {
    private static final List<Metric> COUNTED =
        List.of(
            Metric.WRITES_POSTED,
            Metric.WRITES_COMPLETED,
            Metric.SENDS_COMPLETED,
            Metric.RECEIVES_COMPLETED,
            Metric.NORMAL_PAGES,
            Metric.RAM_TOTAL,
            Metric.DUPLICATE_PAGES,
            Metric.REGISTRATION_ROUND_TRIPS);

    static Seen of(Path file) throws IOException {
      var seen =
          new Seen(
              new ArrayList<>(), new ArrayList<>(), new TreeMap<>(), new EnumMap<>(Metric.class));
      try (Recording recording = Recording.open("FILE", file)) {
        RecordedSession source =
            recording.sessions().stream()
                .filter(each -> each.role() == Role.SOURCE)
                .findFirst()
                .orElseThrow();
        source.forEachEvent(event -> {
          String message =
              "%s %d %d"
                  .formatted(ControlType.of(event.detail()), event.length(), event.argument());
          if (event.kind() == EventKind.CONTROL_SENT) {
            seen.sent.add(message);
          } else if (event.kind() == EventKind.CONTROL_RECEIVED) {
            seen.received.add(message);
          } else if (event.kind() == EventKind.POST_WRITE) {
            String write = "%x %d; ".formatted(event.argument(), event.length());
            seen.writes.merge(WorkRequestId.describe(event.wrid()), write, String::concat);
          }
        });
        for (Metric each : COUNTED) {
          seen.counts.put(each, source.telemetry().metrics().get(each));
        }
      }
      return seen;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--pin-all", "delayed-send-completion", "retransmission"})
  void packets_tellTheSameAsTheRecording(String how) throws IOException {
    Path packets = folder.resolve("lab.pcapng");
    Path recording = folder.resolve("lab.wrs");
    var args = new ArrayList<>(List.of("lab", "--pcap=" + packets, "--record=" + recording));
    if (!how.isEmpty()) {
      args.add(how);
    }
    boolean isScheduled = !how.isEmpty() && !how.startsWith("--");
    if (!isScheduled) {
      args.add("--ram=16MiB");
    }
    CommandRun run = run(args.toArray(String[]::new));
    assertThat(run.err()).containsPattern("wrote [1-9][0-9,]* packets to .*lab\\.pcapng \\(");
    assertThat(run.err()).doesNotContain("left out");
    Seen inferred = Seen.of(packets);
    assertThat(inferred).isEqualTo(Seen.of(recording));
    assertThat(inferred.sent).isNotEmpty();
    assertThat(inferred.writes).isNotEmpty();
    Times ofPackets = Times.of(packets);
    Times recorded = Times.of(recording);
    assertThat(ofPackets.coverage()).isEqualTo(recorded.coverage());
    if (isScheduled) {
      assertThat(ofPackets.ended).isEqualTo(recorded.ended);
      for (int i = 0; i < recorded.posted.size(); i++) {
        // A device's step may lie between the call that posts, and its return, which is recorded.
        assertThat(recorded.posted.get(i) - ofPackets.posted.get(i))
            .as("request %d", i)
            .isBetween(0L, STEP_NANOS);
      }
    }
  }

  /**
   * When the requests to the source's send queue were posted and ended, in nanoseconds; -1 for one
   * that has no end.
   */
  private record Times(List<Long> posted, List<Long> ended) {
    static Times of(Path file) throws IOException {
      try (Recording recording = Recording.open("FILE", file)) {
        RecordedSession source =
            recording.sessions().stream()
                .filter(each -> each.role() == Role.SOURCE)
                .findFirst()
                .orElseThrow();
        var requests = new Requests(source.telemetry());
        source.forEachEvent(requests::take);
        WorkRequests sends = requests.sends();
        var times = new Times(new ArrayList<>(), new ArrayList<>());
        for (long id = 0; id < sends.end(); id++) {
          times.posted.add(sends.postedNanos(id));
          times.ended.add(sends.isOpen(id) ? -1 : sends.endedNanos(id));
        }
        return times;
      }
    }

    /** For each request, whether the completion that ended it also ended the one before it. */
    List<Boolean> coverage() {
      return IntStream.range(1, ended.size())
          .mapToObj(i -> ended.get(i).equals(ended.get(i - 1)))
          .toList();
    }
  }

  /**
   * A migration between the devices rxe0 of two VMs ({@code lab/softroce pair}), captured at the
   * destination by {@code tcpdump -i eth0 -w soft-roce.pcap udp port 4791 and 'udp[8] != 7'}; the
   * RDMA WRITEs were cut to their headers afterwards. The recording is that of the source.
   */
  @Test
  void packetsOfARealDevice_tellTheSameAsTheRecording() throws IOException {
    Path packets = resource("soft-roce.pcap");
    assertThat(Seen.of(packets)).isEqualTo(Seen.of(resource("soft-roce.wrs")));
    try (Recording recording = Recording.open("soft-roce.pcap", packets)) {
      assertThat(recording.notes())
          .singleElement(InstanceOfAssertFactories.STRING)
          .contains("65 packets captured only in part");
      assertThat(recording.sessions())
          .extracting(RecordedSession::status)
          .containsOnly(MigrationStatus.COMPLETED);
    }
  }

  /** Captured in the same way at a source, whose answers did not arrive any more in the end. */
  @Test
  void packetsThatARealDeviceSendsAgain_areRetransmissions() throws IOException {
    try (Recording recording =
        Recording.open("soft-roce-lost.pcap", resource("soft-roce-lost.pcap"))) {
      RecordedSession destination =
          recording.sessions().stream()
              .filter(each -> each.role() == Role.DESTINATION)
              .findFirst()
              .orElseThrow();
      var packets = new ArrayList<Integer>();
      destination.forEachEvent(event -> {
        if (event.kind() == EventKind.WIRE_RETRANSMISSION) {
          packets.add(WirePacket.of(event).psn() - 13719860);
        }
      });
      assertThat(packets).containsExactly(0, 0, 1, 0, 1, 0, 1, 2, 0, 1, 2);
      var requests = new Requests(destination.telemetry()).readAll();
      assertThat(Findings.of(requests, Map.of()))
          .filteredOn(finding -> finding.title().equals("requests sent again"))
          .singleElement()
          .extracting(Finding::seen, InstanceOfAssertFactories.STRING)
          .startsWith(
              "11 retransmissions by QP 17 from +12.689064 s to +14.871127 s: CONTROL SEND");
      assertThat(Explainer.explain(null, requests, 0, null).summary())
          .isEqualTo("The cause may be what went wrong on the wire, which is among the steps.");
    }
    assertThat(run("replay", resource("soft-roce-lost.pcap").toString()).out())
        .contains("finding        requests sent again: 11 retransmissions by QP 17")
        .contains("RAM            32.5 MiB, rounds: not known");
  }

  private Path resource(String name) throws IOException {
    Path copy = folder.resolve(name);
    try (InputStream from = Objects.requireNonNull(getClass().getResourceAsStream(name))) {
      Files.copy(from, copy, StandardCopyOption.REPLACE_EXISTING);
    }
    return copy;
  }

  @Test
  void anExistingFile_isNotReplacedUnasked() throws IOException {
    Path other = Files.writeString(folder.resolve("other.pcapng"), "mine");
    CommandRun run = run("lab", "--ram=16MiB", "--force", "--pcap=" + other);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--pcap");
    assertThat(other).hasContent("mine");
    Path same = folder.resolve("same");
    assertThat(run("lab", "--record=" + same, "--pcap=" + same).status()).isEqualTo(2);
    assertThat(folder).isDirectoryNotContaining("glob:**same*");
  }

  private List<String> tshark(Path packets, String... options) throws Exception {
    var command = new ArrayList<>(List.of("tshark", "--disable-heuristic", "eth_over_ib"));
    GUESSES.forEach(each -> command.addAll(List.of("--disable-protocol", each)));
    command.addAll(List.of("-r", packets.toString()));
    command.addAll(Arrays.asList(options));
    Path out = folder.resolve("tshark.out");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isZero();
    return Files.readAllLines(out);
  }

  private static void assumeTshark() {
    boolean installed =
        Arrays.stream(System.getenv("PATH").split(":"))
            .anyMatch(each -> Files.isExecutable(Path.of(each, "tshark")));
    assumeTrue(installed, "tshark is not installed (Debian package tshark)");
  }

  @Test
  void tshark_findsNothingMalformed_andTheSameMessages() throws Exception {
    assumeTshark();
    Path packets = folder.resolve("lab.pcapng");
    assertThat(run("lab", "--ram=16MiB", "--pcap=" + packets).status()).isZero();
    assertThat(tshark(packets, "-Y", "_ws.malformed || _ws.expert.severity == error")).isEmpty();
    Seen ours = Seen.of(packets);
    List<String> opcodes =
        tshark(packets, "-T", "fields", "-e", "ip.src", "-e", "infiniband.bth.opcode");
    assertThat(count(opcodes, "192.0.2.1", 2, 4)).isEqualTo(ours.sent.size());
    assertThat(count(opcodes, "192.0.2.2", 2, 4)).isEqualTo(ours.received.size());
    long writes = String.join("", ours.writes.values()).chars().filter(c -> c == ';').count();
    assertThat(count(opcodes, "192.0.2.1", 6, 10)).isEqualTo(writes);
    assertThat(count(opcodes, "192.0.2.2", 17)).isEqualTo(writes + ours.sent.size());
    assertThat(tshark(packets, "-Y", "infiniband.cm.req || infiniband.cm.rep")).hasSize(2);
  }

  /** The account of a session, and what an independent reader counts in the packets of its run. */
  @Test
  void tshark_countsWhatTheAccountOfTheSessionHas() throws Exception {
    assumeTshark();
    Path packets = folder.resolve("lab.pcapng");
    Path record = folder.resolve("lab.wrs");
    assertThat(run("lab", "--ram=16MiB", "--pcap=" + packets, "--record=" + record).status())
        .isZero();
    List<String> lines =
        tshark(
            packets,
            "-Y",
            "infiniband.bth",
            "-T",
            "fields",
            "-e",
            "ip.src",
            "-e",
            "infiniband.bth.opcode",
            "-e",
            "udp.length",
            "-e",
            "infiniband.bth.padcnt");
    try (Recording recording = Recording.open("FILE", record)) {
      for (RecordedSession session : recording.sessions()) {
        boolean source = session.role() == Role.SOURCE;
        String own = source ? "192.0.2.1" : "192.0.2.2";
        String other = source ? "192.0.2.2" : "192.0.2.1";
        var expected = new EnumMap<Metric, Long>(Metric.class);
        // Opcodes of the InfiniBand specification, for the last or only packet of a request.
        expected.put(Metric.SENDS_POSTED, count(lines, own, 2, 4));
        expected.put(Metric.SENDS_COMPLETED, count(lines, own, 2, 4));
        expected.put(Metric.RECEIVES_COMPLETED, count(lines, other, 2, 4));
        expected.put(Metric.WRITES_POSTED, count(lines, own, 8, 10));
        expected.put(Metric.WRITES_COMPLETED, count(lines, own, 8, 10));
        expected.put(Metric.RAM_TRANSFERRED, data(lines, own));
        expected.put(Metric.FAILED_COMPLETIONS, 0L);
        var counted = new EnumMap<Metric, Long>(Metric.class);
        expected
            .keySet()
            .forEach(metric -> counted.put(metric, session.telemetry().metrics().get(metric)));
        assertThat(counted).as(session.role().text()).isEqualTo(expected);
      }
    }
  }

  /** Bytes of the SENDs and RDMA WRITEs of a host: opcodes 0 to 4 and 6 to 10. */
  private static long data(List<String> lines, String host) {
    long bytes = 0;
    for (String line : lines) {
      String[] fields = line.split("\t");
      int opcode = Integer.parseInt(fields[1]);
      if (fields[0].equals(host) && opcode <= 10 && opcode != 5) {
        // UDP's header, BTH and ICRC; and RETH in the first packet of an RDMA WRITE.
        int headers = 8 + 12 + 4 + (opcode == 6 || opcode == 10 ? 16 : 0);
        bytes += Long.parseLong(fields[2]) - headers - Long.parseLong(fields[3]);
      }
    }
    return bytes;
  }

  /** What the tests of {@code wire} build, an independent reader sees as it is meant. */
  @Test
  void tshark_readsBuiltPacketsOfInfiniBand_andOfVersion1OfRoce() throws Exception {
    assumeTshark();
    byte[] data = new byte[20];
    for (Wire wire :
        List.of(
            new Wire().link(Wire.ERF).add("7", "9", 4, 34, 5, data).acknowledge("9", "7", 17, 5, 3),
            new Wire()
                .link(Wire.ERF)
                .add("fe80::1", "fe80::2", 4, 34, 5, data)
                .acknowledge("fe80::2", "fe80::1", 17, 5, 3),
            new Wire()
                .ofVersion1()
                .add("fe80::1", "fe80::2", 4, 34, 5, data)
                .acknowledge("fe80::2", "fe80::1", 17, 5, 3))) {
      Path packets = wire.file(folder.resolve("built.pcap"));
      assertThat(tshark(packets, "-Y", "_ws.malformed || _ws.expert.severity == error")).isEmpty();
      assertThat(
              tshark(
                  packets,
                  "-T",
                  "fields",
                  "-e",
                  "infiniband.bth.opcode",
                  "-e",
                  "infiniband.bth.destqp",
                  "-e",
                  "infiniband.bth.psn"))
          .containsExactly("4\t0x000022\t5", "17\t0x000011\t5");
    }
  }

  /** Packets of a host with one of these opcodes. */
  private static long count(List<String> lines, String host, int... opcodes) {
    return lines.stream()
        .map(line -> line.split("\t"))
        .filter(fields -> fields[0].equals(host))
        .filter(
            fields -> Arrays.stream(opcodes).anyMatch(each -> each == Integer.parseInt(fields[1])))
        .count();
  }
}
