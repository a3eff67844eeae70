// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.attach.TraceLine.Kind;

/** Lines that a kernel 6.1 printed, and others. */
final class UprobeLinesTest {
  private static final String GROUP = "wridscope_42_1";

  /** Its first request is followed by nothing. */
  private static final String RECEIVE =
      "post_recv_1: (0x7fd3e65a0550) context=0x564cd1812380 qp=0x564cd1816310 number=0x12"
          + " send=0x564cd1816050 receive=0x564cd18161b0 first=0x7ffe01"
          + " w0={0x9,0x0,0x564cd180be30,0x1} s0={0x564cd1815000,0x3cc00000002,0x20,0x21,0,0,0,0}"
          + " w1={0x9,0x9,0x9,0x9} s1={0x9,0x9,0x9,0x9,0x9,0x9,0x9,0x9}"
          + " w2={0x9,0x9,0x9,0x9} s2={0x9,0x9,0x9,0x9,0x9,0x9,0x9,0x9}"
          + " w3={0x9,0x9,0x9,0x9} s3={0x9,0x9,0x9,0x9,0x9,0x9,0x9,0x9}"
          + " n4=0x9 n5=0x9 n6=0x9 n7=0x9 n8=0x9 n9=0x9 n10=0x9 n11=0x9";

  private final List<TraceLine> told = new ArrayList<>();

  /** Threads 10 to 19 belong to process 10, and so on; process 90 is not wanted. */
  private final UprobeLines lines =
      new UprobeLines(
          GROUP, pid -> pid != 90, new ThreadTable(thread -> thread / 10 * 10), told::add);

  private int micros = 100;

  private void take(int thread, String event) {
    micros++;
    lines.take("     ib_send_lat-%-7d [001] DNZff  1234.%06d: %s".formatted(thread, micros, event));
  }

  /** The kind and the numbers after the thread. */
  private List<String> told() {
    return told.stream()
        .filter(line -> line.kind() != Kind.NAME)
        .map(line ->
            line.kind()
                + IntStream.range(3, count(line))
                    .mapToObj(i -> " " + Long.toHexString(line.number(i)))
                    .collect(Collectors.joining()))
        .toList();
  }

  private static int count(TraceLine line) {
    return switch (line.kind()) {
      case BEGIN -> 1;
      case BEAT, LOST -> 2;
      case MORE, ABORT -> 5;
      case POLLED, DATA, COMPLETE -> 6;
      case QUEUE_PAIR -> 7;
      case RECEIVE, SHARED_RECEIVE, PEER -> 9;
      case EXTENDED -> 10;
      case POST -> 13;
      default -> 3;
    };
  }

  private static String request(int index, long wrid, boolean last, String rest) {
    return " w%d={0x%x,0x%x,0x55,%s}".formatted(index, wrid, last ? 0 : 0x7000, rest);
  }

  /** A chain of requests to a send queue; each has two elements, of 100 and 24 bytes. */
  private static String sends(int count) {
    var text =
        new StringBuilder(
            "post_send_0: (0x7f182ee03cc0) context=0xc0 qp=0xa0 number=0x11 send=0x51 receive=0x52"
                + " first=0x7ffe01");
    for (int i = 0; i < UprobeEvents.CHAIN; i++) {
      String rest = "0x%x00000002,0x2,0xabc0,0x7,0x0,0x8".formatted(i);
      text.append(request(i, 0x100 + i, i == count - 1, rest))
          .append(" s%d={0x1,0xff00000064,0x2,0xff00000018,0x9,0x9,0x9,0x9}".formatted(i));
    }
    for (int i = UprobeEvents.CHAIN; i < UprobeEvents.COUNTED; i++) {
      text.append(" n%d=0x%x".formatted(i, i < count ? 0x7000 : 0));
    }
    return text.toString();
  }

  private static String returned(String event, int result) {
    return "%s_ret: (0x562e2d5c93ab <- 0x7f182ee03cc0) got=%d".formatted(event, result);
  }

  @Test
  void aReceive_isToldAtTheReturn_withTheTimeOfTheCall() {
    take(12, RECEIVE);
    assertThat(told()).isEmpty();
    take(12, returned("post_recv_1", 0));

    assertThat(told())
        .containsExactly(
            "QUEUE_PAIR 564cd1812380 12 564cd1816050 564cd18161b0",
            "RECEIVE 564cd1812380 12 9 1 2 0");
    assertThat(told.getFirst().kind()).isEqualTo(Kind.NAME);
    assertThat(told.getFirst().text()).isEqualTo("ib_send_lat");
    assertThat(told).extracting(TraceLine::nanos).containsOnly(1_234_000_101_000L);
    assertThat(told).extracting(TraceLine::pid).containsOnly(10L);
    assertThat(told.getLast().number(2)).isEqualTo(12);
  }

  @Test
  void aChain_isToldUpToItsEnd_andWhatIsLongerIsCounted() {
    take(12, sends(2));
    take(12, returned("post_send_0", 0));
    assertThat(told())
        .containsExactly(
            "QUEUE_PAIR c0 11 51 52",
            "POST c0 11 100 0 2 2 7c abc0 7 0",
            "POST c0 11 101 1 2 2 7c abc0 7 0");
    told.clear();

    take(12, sends(7));
    take(12, returned("post_send_0", 0));
    assertThat(told()).hasSize(5).endsWith("POST c0 11 103 3 2 2 7c abc0 7 0", "MORE 0 3");
    told.clear();

    take(12, sends(40));
    take(12, returned("post_send_0", 0));
    assertThat(told()).endsWith("MORE 0 8");
  }

  /** The remote key of an atomic operation is at another place. */
  @Test
  void anAtomicOperation_hasItsOwnKey() {
    take(12, sends(1).replace("0x000000002,", "0x600000001,"));
    take(12, returned("post_send_0", 0));
    assertThat(told()).endsWith("POST c0 11 100 6 2 1 64 abc0 8 0");
  }

  @Test
  void aRefusedRequest_hasTheErrno_butOfAChainNobodyKnowsWhich() {
    take(12, sends(1));
    take(12, returned("post_send_0", 12));
    assertThat(told()).endsWith("POST c0 11 100 0 2 2 7c abc0 7 c");
    take(12, sends(3));
    take(12, returned("post_send_0", -1));
    assertThat(told()).endsWith("MORE 0 3");
  }

  @Test
  void requestsOfTheExtendedInterface_areToldInTheirParts() {
    String at = ": (0x7f1) context=0xc0 ";
    take(
        12,
        "wr_rdma_write_4"
            + at
            + "qp=0xa0 number=0x11 send=0x51 receive=0x52 wr_id=0xe0 flags=0x2 key=0x7"
            + " address=0xab");
    take(12, "wr_set_sge_list_5" + at + "number=0x11 count=0x2 list={1,0xff00000064,2,24,9,9,9,9}");
    take(
        12,
        "wr_send_3"
            + at
            + "qp=0xa0 number=0x11 send=0x51 receive=0x52 wr_id=1 flags=0 key=9 address=9");
    take(12, "wr_set_sge_6" + at + "number=0x11 length=0x21");
    take(12, "wr_set_inline_data_7" + at + "number=0x11 length=0x22");
    take(12, "wr_set_inline_data_list_8" + at + "number=0x11 count=5 list={1,10,2,10,3,10,4,10}");
    take(12, "wr_complete_9" + at + "number=0x11");
    take(12, returned("wr_complete_9", 22));
    take(12, "wr_abort_10" + at + "number=0x11");

    assertThat(told())
        .containsExactly(
            "QUEUE_PAIR c0 11 51 52",
            "EXTENDED c0 11 e0 0 2 ab 7",
            "DATA c0 11 7c",
            "EXTENDED c0 11 1 2 0 0 0",
            "DATA c0 11 21",
            "DATA c0 11 22",
            "DATA c0 11 28",
            "COMPLETE c0 11 16",
            "ABORT c0 11");
  }

  /** Before rdma_connect there may be a queue pair that librdmacm does not know. */
  @Test
  void aConnection_isOfTheQueuePairOfTheIdentifierOrOfTheParameters() {
    String peer = "peer={0x1,0x2,0x3,0x4}";
    take(12, "connect_20: (0x1) context=0xc0 qp=0xa0 number=0x11 parameters=0x0 own=0x9 " + peer);
    take(12, "accept_21: (0x1) context=0xc0 qp=0x0 number=0x9 parameters=0x70 own=0x13 " + peer);
    take(12, "accept_21: (0x1) context=0xc0 qp=0x0 number=0x9 parameters=0x0 own=0x9 " + peer);
    assertThat(told()).containsExactly("PEER c0 11 1 2 3 4", "PEER c0 13 1 2 3 4");
  }

  @Test
  void completions_areCountedByQueue() {
    take(12, GROUP + ": cq=94887932420528 context=94887932404608 got=3");
    assertThat(told()).containsExactly("POLLED 564cd1812380 564cd18161b0 3");
  }

  /** The trace has numbers of threads; those that begin meanwhile belong to their parents. */
  @Test
  void threads_areToldByTheTrace_andOtherProcessesAreLeftOut() {
    take(12, "task_newtask: pid=91 comm=a clone_flags=1 b clone_flags=3d0f00 oom_score_adj=0");
    take(12, "task_newtask: pid=22 comm=python3 clone_flags=1200011 oom_score_adj=-17");
    for (int thread : List.of(91, 92, 22)) {
      take(thread, GROUP + ": cq=1 context=2 got=3");
    }
    assertThat(told()).hasSize(2);
    assertThat(told.stream().filter(line -> line.kind() == Kind.POLLED))
        .extracting(TraceLine::pid)
        .containsExactly(10L, 22L);
  }

  @Test
  void lostEvents_areCounted_andNoCallIsTakenForAnother() {
    take(12, sends(1));
    lines.take("CPU:0 [LOST 17 EVENTS]");
    take(12, returned("post_send_0", 5));
    lines.take("CPU:12 [LOST EVENTS]");

    assertThat(told).extracting(TraceLine::kind).containsOnly(Kind.NAME, Kind.LOST);
    assertThat(told.stream().filter(line -> line.kind() == Kind.LOST))
        .extracting(line -> line.number(1))
        .containsExactly(17L, 1L);
  }

  @Test
  void whatWeWriteIntoTheTrace_tellsItsTimeAndItsEnd() {
    take(5, "tracing_mark_write: " + UprobeLines.BEGIN);
    take(5, "0xffffffff81234567: " + UprobeLines.BEAT);
    assertThat(told).extracting(TraceLine::kind).containsExactly(Kind.BEGIN, Kind.BEAT);
    assertThat(told.getFirst().nanos()).isEqualTo(1_234_000_101_000L);
    assertThat(lines.isEnded()).isFalse();
    take(5, "tracing_mark_write: " + UprobeLines.END);
    assertThat(lines.isEnded()).isTrue();
  }

  /** A program chooses its name; it prints as sixteen characters whatever it is. */
  @Test
  void theNameOfAThread_isReadByItsColumns() {
    lines.take(
        " a-1 [001] . 1.2-12      [001] DNZff  1234.000001: " + GROUP + ": cq=1 context=2 got=3");
    lines.take(
        "           <...>-22      [001] DNZff  1234.000001: " + GROUP + ": cq=1 context=2 got=3");
    assertThat(told)
        .extracting(TraceLine::kind)
        .containsExactly(Kind.NAME, Kind.POLLED, Kind.POLLED);
    assertThat(told.getFirst().text()).isEqualTo("a-1 [001] . 1.2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[LINE TOO BIG]",
        "     ib_send_lat-12      [001] DNZff  1234.000101: ",
        "     ib_send_lat-12      [001] DNZff  1234.000101: unknown_0: (0x1) a=1",
        "     ib_send_lat-12      [001] DNZff  1234.000101: post_send_x: (0x1) qp=0x1",
        "     ib_send_lat-12      [001] DNZff  1234.000101: wridscope_42_1: cq=1 got=3",
        "     ib_send_lat-12      [001] DNZff  1234.000101: wridscope_42_1: cq=x context=1 got=3",
        "     ib_send_lat-12      [001] DNZff  1234.000101: wr_abort_1: (0x1) context=1 number=--1",
        "     ib_send_lat-12      [001] DNZff  1234.000101: task_newtask: pid=1",
        "     ib_send_lat-99999999999 [001] DNZff  1234.000101: wridscope_42_1: cq=1 context=1"
            + " got=3",
      })
  void aLineThatIsNotUnderstood_countsAsLost(String line) {
    lines.take(line);
    assertThat(told.stream().filter(each -> each.kind() != Kind.NAME))
        .singleElement()
        .satisfies(lost -> {
          assertThat(lost.kind()).isEqualTo(Kind.LOST);
          assertThat(lost.number(1)).isEqualTo(1);
        });
  }

  /** A post whose fields are damaged is known only when its function returns. */
  @Test
  void aDamagedArray_countsAsLost() {
    take(12, RECEIVE.replace("w0={0x9,0x0,", "w0={"));
    take(12, returned("post_recv_1", 0));
    assertThat(told()).last().isEqualTo("LOST");
  }
}
