// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Objects;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.recording.Recording;
import org.wridscope.recording.replay.RecordedSession;
import org.wridscope.telemetry.EventKind;
import org.wridscope.verbs.OpcodeNames;

/**
 * Captures that somebody built from the InfiniBand specification and the formats of pcap without
 * knowing this program, with what they hold: the link types, both byte orders, cut, one-way, lost,
 * refused and repeated packets. The path MTU is 1024.
 */
final class CaptureCorpusTest {
  private static final String ALL =
      "SEND 64 ok; SEND_WITH_IMM 3000 0xcafe0001 ok; RDMA_WRITE 4096 ok; RDMA_WRITE_WITH_IMM 2500"
          + " 0x00000042 ok; RDMA_READ 2048 ok; RDMA_READ 100 ok; ATOMIC_CMP_AND_SWP 8 ok;"
          + " ATOMIC_FETCH_AND_ADD 8 ok";

  @TempDir private Path folder;

  private Path file(String name) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("captures/" + name), name)) {
      Path file = folder.resolve(name);
      Files.copy(in, file);
      return file;
    }
  }

  /** Its requests: operation, length, immediate data, and how each ended. */
  private static String requests(RecordedSession program) throws IOException {
    var posts = new ArrayList<String>();
    var requests = new Requests(program.telemetry());
    program.forEachEvent(event -> {
      requests.take(event);
      if (event.kind() == EventKind.PROGRAM_POST) {
        posts.add("%s %d".formatted(OpcodeNames.ofRequest(event.detail() & 0xff), event.length()));
      } else if (event.kind() == EventKind.PROGRAM_IMMEDIATE) {
        posts.set(posts.size() - 1, posts.getLast() + " 0x%08x".formatted(event.length()));
      }
    });
    WorkRequests sends = requests.sends();
    for (int i = 0; i < posts.size(); i++) {
      String end = sends.isOpen(i) ? "?" : sends.failed(i) ? sends.status(i).name() : "ok";
      posts.set(i, posts.get(i) + " " + end);
    }
    return String.join("; ", posts);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "k01-all-us-le.pcap, all, 0, \"\"",
        "k02-all-ns-be.pcap, all, 0, \"\"",
        "k03-all-us-be-sll.pcap, all, 0, \"\"",
        "k04-all-sll2.pcap, all, 0, \"\"",
        "k05-all-raw.pcap, all, 0, \"\"",
        "k06-all.pcapng, all, 0, \"\"",
        "k07-all-be-ns.pcapng, all, 0, \"\"",
        "k08-all.pcap.gz, all, 0, \"\"",
        "k09-ib-erf.pcap, all, 0, \"\"",
        "k10-ib-247.pcap, all, 0, \"\"",
        "k12-one-direction-req.pcap, RDMA_WRITE 4096 ?; SEND 64 ?; RDMA_READ 2048 ?, 0, only one"
            + " direction is in the capture",
        "k14-cut-beginning.pcap, all-2, 0, whose first packet is not in the capture",
        "k15-cut-end.pcap, SEND 64 ok; RDMA_WRITE 4096 ?, 0, \"\"",
        "k16-cut-in-record.pcap, all-but-the-last, 0, \"damaged or incomplete: it ends at byte\"",
        "k17-snaplen-64.pcap, all-cut, 0, captured only in part",
        "k18-loss-nak-seq-retransmit.pcap, RDMA_WRITE 5000 ok, 1, \"\"",
        "k19-loss-not-repaired.pcap, RDMA_WRITE 5000 ?, 0, 1 packet not in the capture",
        "k20-rnr-nak.pcap, SEND 256 ok, 2, \"\"",
        "k21-nak-remote-access.pcap, SEND 64 ok; RDMA_WRITE 2048 REM_ACCESS_ERR, 0, \"\"",
        "k22-nak-remote-op-read.pcap, RDMA_READ 4096 REM_OP_ERR, 0, \"\"",
        "k24-vlan.pcap, all, 0, \"\"",
        "k25-ipv6.pcap, all, 0, \"\"",
        "k29-icrc-zero.pcap, SEND 64 ok; RDMA_READ 1024 ok, 0, \"with an invariant CRC of 0, as"
            + " they are before the adapter computes it\"",
        "k30-psn-wrap.pcap, SEND 3000 ok, 0, \"\"",
        "k31-coalesced-ack.pcap, RDMA_WRITE 3000 ok; SEND 16 ok, 0, \"\"",
        "k32-read-response-lost.pcap, RDMA_READ 4096 ok, 1, \"\"",
        "k33-timeout-retransmit.pcap, SEND 512 ok, 1, \"\""
      })
  void aCapture_holdsWhatItWasBuiltFrom(String name, String wanted, int repeated, String note)
      throws IOException {
    String expected =
        switch (wanted) {
          case "all" -> ALL;
          case "all-2" -> ALL.substring(ALL.indexOf("RDMA_WRITE"));
          case "all-but-the-last" -> ALL.substring(0, ALL.length() - 2) + "?";
          // The immediate data of an only packet lies behind what was captured.
          case "all-cut" -> ALL;
          default -> wanted;
        };
    try (Recording recording = Recording.open("file", file(name))) {
      RecordedSession program = recording.sessions().getFirst();
      assertThat(requests(program)).isEqualTo(expected);
      var again = new ArrayList<Long>();
      program.forEachEvent(event -> {
        if (event.kind() == EventKind.WIRE_RETRANSMISSION) {
          again.add(event.number());
        }
      });
      assertThat(again).hasSize(repeated);
      if (note.isEmpty()) {
        assertThat(recording.notes()).isEmpty();
      } else {
        assertThat(recording.notes()).anyMatch(each -> each.contains(note));
      }
      assertThat(recording.notes()).noneMatch(each -> each.contains("wrong invariant CRC"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "k11-unsupported-80211.pcap, IEEE 802.11 (link type 105)",
    "k13-one-direction-resp.pcap, answer requests of the other direction",
    "k23-only-cnp.pcap, 5 congestion notifications (CNP)",
    "k26-ud.pcap, 4 unreliable datagrams (UD)",
    "k27-no-rdma.pcap, 1 of TCP",
    "k28-empty.pcap, It has no packets."
  })
  void aCaptureWithoutRequests_isRefused_withWhatItHas(String name, String what)
      throws IOException {
    Path file = file(name);
    assertThatIOException()
        .isThrownBy(() -> Recording.open("file", file))
        .withMessageContaining(what);
  }
}
