// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.EventText;
import org.wridscope.analysis.Finding;
import org.wridscope.analysis.ProgramAnalysis;
import org.wridscope.analysis.QueueCounts;
import org.wridscope.analysis.QueuePairText;
import org.wridscope.analysis.QueueType;
import org.wridscope.analysis.RequestFacts;
import org.wridscope.analysis.RequestKind;
import org.wridscope.analysis.Requests;
import org.wridscope.analysis.WorkRequests;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.verbs.WorkCompletionStatus;

/** What a program posted and polled, from what is traced to its requests. */
final class AttachedProgramTest {
  private static final int SIGNALED = 2;

  private final AttachedProgram program =
      new AttachedProgram(
          1, "known", "rxe0", Map.of(18, new PeersBefore.Peer("192.0.2.1:5", true)));
  private long nanos = 1000;

  /** Takes a line without its time, process and thread. */
  private void take(String line) {
    TraceLine parsed = TraceText.parse(line.replaceFirst(" ", " %x 1 1 ".formatted(nanos)));
    program.take(parsed, parsed.nanos());
    nanos += 1000;
  }

  private void post(int qp, long wrid, int opcode, int flags) {
    take("p c0 %x %x %x %x 1 40 1234 7 0".formatted(qp, wrid, opcode, flags));
  }

  private void receive(int qp, long wrid) {
    take("r c0 %x %x 1 80 0".formatted(qp, wrid));
  }

  private void sharedReceive(long address, long wrid) {
    take("s c0 %x %x 1 80 0".formatted(address, wrid));
  }

  private void completion(long cq, int qp, long wrid, int status, int opcode) {
    take("c c0 %x %x %x %x 93 40 %x".formatted(cq, wrid, status, opcode, qp));
  }

  private Requests requests() {
    return new Requests(program.telemetry()).readAll();
  }

  private List<Event> events() {
    return program.telemetry().log().read(0, 1000);
  }

  private static QueueCounts only(WorkRequests requests) {
    assertThat(requests.queues()).hasSize(1);
    return requests.queues().iterator().next();
  }

  @Test
  void aWridThatLooksLikeThatOfAQemu_isNotDecoded() {
    post(17, 2000, 2, SIGNALED);
    completion(0xcc, 17, 2000, 0, 0);

    Requests requests = requests();
    WorkRequests sends = requests.sends();
    assertThat(sends.kind(0)).isEqualTo(RequestKind.SEND);
    assertThat(sends.controlType(0)).isZero();
    assertThat(sends.isOpen(0)).isFalse();
    assertThat(RequestFacts.of(requests, QueueType.SEND, 0).text())
        .isEqualTo("SEND 0x7d0 of QP 17");
  }

  /** Its own time is not known to be right any more; what counts is the order. */
  @Test
  void whatIsToldLate_isNotBeforeWhatWasToldBefore() {
    post(17, 1, 2, SIGNALED);
    nanos = 400;
    completion(0xcc, 17, 1, 0, 0);
    program.unseen(300, 2, 5);

    assertThat(events()).extracting(Event::nanos).containsExactly(1000L, 1000L, 1000L);
  }

  @Test
  void theSameWridInTwoQueues_isTwoRequests() {
    post(17, 5, 0, SIGNALED);
    post(18, 5, 4, SIGNALED);
    completion(0xcc, 18, 5, 0, 2);

    WorkRequests sends = requests().sends();
    assertThat(sends.isOpen(0)).isTrue();
    assertThat(sends.isOpen(1)).isFalse();
    assertThat(sends.kind(1)).isEqualTo(RequestKind.READ);
    assertThat(sends.queues())
        .extracting(queue -> queue.id().text(), QueueCounts::open)
        .containsExactly(tuple("QP 17", 1L), tuple("QP 18", 0L));
  }

  @Test
  void aCompletion_coversUnsignaledRequestsOfItsOwnQueueOnly() {
    post(17, 1, 0, 0);
    post(18, 2, 0, 0);
    post(17, 3, 0, SIGNALED);
    completion(0xcc, 17, 3, 0, 1);

    WorkRequests sends = requests().sends();
    assertThat(sends.coveredBy(0)).isEqualTo(2);
    assertThat(sends.isOpen(1)).isTrue();
    assertThat(sends.queues()).extracting(QueueCounts::covered).containsExactly(1L, 0L);
  }

  /** A queue pair that signals all of its requests does not set the flag in each. */
  @Test
  void completionsOfRequestsWithoutTheFlag_areTheirOwn() {
    post(17, 1, 2, 0);
    post(17, 2, 2, 0);
    completion(0xcc, 17, 1, 0, 0);
    completion(0xcc, 17, 2, 0, 0);

    QueueCounts counts = only(requests().sends());
    assertThat(counts.open()).isZero();
    assertThat(counts.covered()).isZero();
    assertThat(counts.unmatched()).isZero();
  }

  @Test
  void aReceive_isFoundInTheQueuePairFirst_thenInTheSharedQueues() {
    sharedReceive(0x500, 9);
    receive(17, 9);
    completion(0xcc, 17, 9, 0, 128);
    completion(0xcc, 17, 9, 0, 128);
    completion(0xcc, 17, 9, 0, 128);

    WorkRequests receives = requests().receives();
    assertThat(receives.endedNanos(1)).isLessThan(receives.endedNanos(0));
    assertThat(receives.queueId(0)).isEqualTo(QueueId.ofSharedReceiveQueue(1));
    assertThat(receives.unmatched()).isEqualTo(1);
    assertThat(receives.queues())
        .extracting(queue -> queue.id().text(), QueueCounts::open, QueueCounts::unmatched)
        .containsExactly(tuple("QP 17", 0L, 1L), tuple("SRQ 1", 0L, 0L));
  }

  /** Only the completion queue tells to which queue a failed request belongs. */
  @Test
  void aFailedRequest_isThatOfItsCompletionQueue() {
    take("q c0 11 5e4d 4ec0");
    receive(17, 5);
    post(17, 5, 2, SIGNALED);
    completion(0x4ec0, 17, 5, 5, 77);

    Requests requests = requests();
    assertThat(requests.receives().failed(0)).isTrue();
    assertThat(requests.sends().isOpen(0)).isTrue();
    assertThat(only(requests.receives()).polled())
        .isEqualTo(Map.of(WorkCompletionStatus.WR_FLUSH_ERR, 1L));
    Event last = events().getLast();
    assertThat(last.kind()).isEqualTo(EventKind.PROGRAM_COMPLETION);
    assertThat(last.detail()).isEqualTo(5 | 2 << 8);
    assertThat(last.length()).as("vendor error").isEqualTo(0x93);
    assertThat(last.argument()).isEqualTo(17 | 2L << 32);
  }

  @Test
  void aFailedRequestOfASharedCompletionQueue_isOneThatIsOpen() {
    receive(17, 5);
    completion(0xcc, 17, 5, 5, 0);

    assertThat(requests().receives().failed(0)).isTrue();
  }

  @Test
  void aRefusedRequest_isNotPosted() {
    take("p c0 11 63 2 2 1 40 0 0 c");
    take("r c0 11 64 1 40 16");

    Requests requests = requests();
    assertThat(requests.sends().end()).isZero();
    assertThat(requests.receives().end()).isZero();
    assertThat(only(requests.sends()).refused()).isEqualTo(1);
    assertThat(only(requests.receives()).refused()).isEqualTo(1);
    assertThat(events()).extracting(Event::detail).containsExactly(12, 22);
  }

  @Test
  void onlyRequestsThatAccessThePeersMemory_haveATarget() {
    post(17, 1, 2, 0);
    post(17, 2, 0, 0);

    assertThat(events())
        .extracting(Event::kind)
        .containsExactly(EventKind.PROGRAM_POST, EventKind.PROGRAM_POST, EventKind.PROGRAM_TARGET);
    assertThat(events().getLast().length()).isEqualTo(7);
    assertThat(events().getLast().argument()).isEqualTo(0x1234);
  }

  /** 10.9.0.2:4660, as sockaddr_in in memory, on a little-endian machine. */
  @Test
  void theNameOfAQueuePair_hasItsPeer_asSoonAsItIsConnected() {
    post(17, 1, 2, 0);
    assertThat(requests().nameOf(QueueId.ofQueuePair(0, 17))).isEqualTo("QP 17");
    take("d c0 11 0200090a34120002 0 0 0");

    Requests requests = requests();
    assertThat(requests.nameOf(QueueId.ofQueuePair(0, 17))).isEqualTo("QP 17 to 10.9.0.2:4660");
    assertThat(RequestFacts.of(requests, QueueType.SEND, 0).text())
        .isEqualTo("SEND 0x1 of QP 17 to 10.9.0.2:4660");
    assertThat(requests.sends().peer(0)).isEqualTo("10.9.0.2:4660");
    assertThat(EventText.summary(events().getLast(), program.telemetry()))
        .isEqualTo("QP 17 to 10.9.0.2:4660");
  }

  /** What was connected before the attachment is told when it is used for the first time. */
  @Test
  void aQueuePairThatWasConnectedBefore_hasItsPeer() {
    take("q c0 12 5e4d 4ec0");
    post(18, 1, 2, 0);
    take("q c0 12 5e4d 4ec0");

    assertThat(requests().nameOf(QueueId.ofQueuePair(0, 18))).isEqualTo("QP 18 to 192.0.2.1:5");
    assertThat(events()).filteredOn(event -> event.kind() == EventKind.PROGRAM_PEER).hasSize(1);
  }

  /** A call of ibv_modify_qp for QP 17; the peer is QP 21 at 10.9.0.2. */
  private void modify(int errno, int mask, int state, int timeout, int rnrRetries, int timer) {
    take(
        "m c0 11 %x %x %x 3 1 %x 7 %x %x 6 15 5 6 1 0 0 200090affff0000"
            .formatted(errno, mask, state, timeout, rnrRetries, timer));
  }

  private static final int RTR = 1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 20;
  private static final int RTS = 1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 16;

  private List<Finding> findings() {
    Requests requests = requests();
    return ProgramAnalysis.findings(requests, requests.lastNanos());
  }

  @Test
  void aQueuePairThatExchangesAddressesItself_hasItsPeer_andIsSeenFromItsBeginning() {
    program.begunBefore();
    modify(0, RTR, 2, 0, 0, 12);
    modify(0, RTS, 3, 14, 7, 0);
    post(17, 1, 2, SIGNALED);
    completion(0xcc, 17, 1, 12, 0);

    Requests requests = requests();
    assertThat(RequestFacts.of(requests, QueueType.SEND, 0).text())
        .isEqualTo("SEND 0x1 of QP 17 to QP 21 at 10.9.0.2");
    assertThat(requests.sends().failed(0)).isTrue();
    QueuePairChange set =
        Objects.requireNonNull(requests.queuePairs().attributes(QueueId.ofQueuePair(0, 17)));
    assertThat(QueuePairText.attributes(set))
        .containsExactly(
            "timeout 14 (67 ms)",
            "retries 7",
            "RNR retries without limit",
            "minimum RNR timer 12 (640 µs)",
            "path MTU 1024");
    assertThat(events().stream().map(each -> EventText.summary(each, program.telemetry())))
        .contains(
            "QP 17: RTR, minimum RNR timer 12 (640 µs), path MTU 1024",
            "QP 17: peer's QP 21, peer's address 10.9.0.2, first PSN expected 6",
            "QP 17 to QP 21 at 10.9.0.2");
    assertThat(findings()).extracting(Finding::title).doesNotContain(LONG_RNR);
  }

  private static final String LONG_RNR = "RNR waits are long, and without limit";

  /** librdmacm goes to INIT and RTR itself, when the peer is known by its address and port. */
  @Test
  void thePeerThatLibrdmacmKnows_isTheBetterOne_untilTheQueuePairIsANewOne() {
    int init = 1 | 1 << 3 | 1 << 5;
    modify(0, init, 1, 0, 0, 0);
    take("d c0 11 0200090a34120002 0 0 0");
    modify(0, init, 1, 0, 0, 0);
    modify(0, RTR, 2, 0, 0, 12);
    assertThat(requests().nameOf(QueueId.ofQueuePair(0, 17))).isEqualTo("QP 17 to 10.9.0.2:4660");

    modify(0, init, 1, 0, 0, 0);
    modify(0, RTR, 2, 0, 0, 12);
    assertThat(requests().nameOf(QueueId.ofQueuePair(0, 17)))
        .isEqualTo("QP 17 to QP 21 at 10.9.0.2");
  }

  @Test
  void aRefusedTransition_isToldWithErrnoAndParameters_andSetsNothing() {
    modify(22, RTR, 2, 0, 0, 12);
    modify(-110, RTR, 2, 0, 0, 12);

    Requests requests = requests();
    assertThat(requests.queuePairs().refused()).isEqualTo(2);
    assertThat(requests.queuePairs().known()).isEmpty();
    assertThat(requests.peerOf(QueueId.ofQueuePair(0, 17))).isNull();
    assertThat(findings())
        .singleElement()
        .satisfies(finding ->
            assertThat(finding.seen())
                .startsWith("2 calls of ibv_modify_qp: QP 17: RTR refused with errno 22 (EINVAL), ")
                .contains("path MTU 1024", "peer's QP 21, peer's address 10.9.0.2")
                .contains("refused with errno 110 (ETIMEDOUT)"));
    assertThat(ProgramAnalysis.explain(requests, "", false).steps()).hasSize(2);
  }

  /** 0 is the longest, 655.36 ms. It alarms only where something stands still. */
  @Test
  void longRnrWaitsWithoutLimit_areFound() {
    modify(0, RTR, 2, 0, 0, 0);
    modify(0, RTS, 3, 14, 7, 0);
    post(17, 1, 2, SIGNALED);

    assertThat(findings())
        .filteredOn(finding -> finding.title().equals(LONG_RNR))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.seen())
              .isEqualTo(
                  "Minimum RNR timer 0 (655 ms), RNR retries without limit, on QP 17 to QP 21 at"
                      + " 10.9.0.2: it can stall without an error.");
          assertThat(finding.severity()).isEqualTo(Finding.Severity.INFO);
        });
    Requests requests = requests();
    assertThat(ProgramAnalysis.findings(requests, requests.lastNanos() + 2_000_000_000))
        .filteredOn(finding -> finding.title().equals(LONG_RNR))
        .extracting(Finding::severity)
        .containsExactly(Finding.Severity.WARNING);
    modify(0, RTS, 3, 14, 6, 0);
    assertThat(findings()).extracting(Finding::title).doesNotContain(LONG_RNR);
  }

  @Test
  void aTimeoutOfZero_isFound() {
    modify(0, RTR, 2, 0, 0, 12);
    modify(0, RTS, 3, 0, 3, 0);

    assertThat(findings())
        .extracting(Finding::title, Finding::severity)
        .contains(tuple("no timeout for acknowledgements", Finding.Severity.WARNING));
  }

  @Test
  void onlyTheWridsOfAQemu_areDecoded() {
    var qemu = new AttachedProgram(2, "qemu-system-x86", "rxe0", Map.of());
    for (AttachedProgram each : List.of(program, qemu)) {
      each.take(TraceText.parse("p 1 1 1 c0 11 40000001 0 2 1 40 1234 7 0"), 1);
    }

    assertThat(name(program)).isEqualTo("RDMA_WRITE 0x40000001 of QP 17");
    assertThat(name(qemu)).isEqualTo("RDMA_WRITE 0x40000001 (WRITE RDMA block 0 chunk 1) of QP 17");
    assertThat(EventText.summary(qemu.telemetry().log().read(0, 9).getFirst(), qemu.telemetry()))
        .startsWith("RDMA_WRITE, wr_id 0x40000001 (WRITE RDMA block 0 chunk 1), QP 17");
  }

  private static String name(AttachedProgram of) {
    return RequestFacts.of(new Requests(of.telemetry()).readAll(), QueueType.SEND, 0).text();
  }

  @Test
  void aProcessThatHasEnded_hasTheNameThatItTold() {
    assertThat(AttachedProgram.command(Long.MAX_VALUE, "ib_send_lat")).isEqualTo("ib_send_lat");
    assertThat(AttachedProgram.command(ProcessHandle.current().pid(), "x")).isNotEqualTo("x");
  }

  @Test
  void extendedRequests_arePostedWithTheirData_whenTheyAreComplete() {
    take("x c0 11 1 0 2 1234 7");
    take("g c0 11 64");
    take("g c0 11 28");
    take("x c0 11 2 2 0 0 0");
    take("g c0 12 99");
    assertThat(events()).isEmpty();
    take("w c0 11 0");

    assertThat(events())
        .extracting(Event::kind, Event::wrid, Event::length)
        .containsExactly(
            tuple(EventKind.PROGRAM_POST, 1L, 0x8c),
            tuple(EventKind.PROGRAM_TARGET, 1L, 7),
            tuple(EventKind.PROGRAM_POST, 2L, 0));
  }

  @Test
  void extendedRequests_areRefusedOrGivenUpTogether() {
    take("x c0 11 1 2 0 0 0");
    take("x c0 11 2 2 0 0 0");
    take("w c0 11 c");
    take("x c0 11 3 2 0 0 0");
    take("a c0 11");
    take("w c0 11 0");

    assertThat(events())
        .extracting(Event::kind, Event::wrid)
        .containsExactly(
            tuple(EventKind.PROGRAM_REFUSED, 1L), tuple(EventKind.PROGRAM_REFUSED, 2L));
  }

  @Test
  void queuePairsOfTwoContexts_areToldApart() {
    take("p c0 11 1 2 2 1 40 0 0 0");
    take("p c1 11 1 2 2 1 40 0 0 0");

    assertThat(requests().sends().queues())
        .extracting(queue -> queue.id().text())
        .containsExactly("QP 17", "QP 17 (context 2)");
  }

  @Test
  void whatWasNotSeen_isCounted() {
    take("o 0 8");
    take("o 1 6");
    program.unseen(nanos, 2, -1);

    Requests requests = requests();
    assertThat(requests.unseen().requests()).isEqualTo(8);
    assertThat(requests.unseen().completions()).isEqualTo(6);
    assertThat(requests.unseen().lost()).isEqualTo(0xffff_ffffL);
  }

  private void early(String line) {
    program.early(TraceText.parse(line.replaceFirst(" ", " %x 1 1 ".formatted(nanos))), nanos);
    nanos += 1000;
  }

  /** With sq_sig_all: a success of a request without the flag proves it. */
  @Test
  void aQueuePairThatSignalsAll_hasACompletionForEach_alsoWithMixedFlagsAndOneWrid() {
    for (int i = 0; i < 64; i++) {
      post(17, 0, 2, i % 2 == 0 ? 0 : SIGNALED);
      if (i > 0) {
        completion(0xcc, 17, 0, 0, 0);
      }
    }
    completion(0xcc, 17, 0, 0, 0);

    WorkRequests sends = requests().sends();
    QueueCounts counts = only(sends);
    assertThat(counts.covered()).isZero();
    assertThat(counts.unmatched()).isZero();
    assertThat(counts.open()).isZero();
    for (long id = 0; id < 64; id++) {
      assertThat(sends.signaled(id)).isTrue();
      assertThat(sends.coveredBy(id)).isEqualTo(WorkRequests.NONE);
    }
    // Each post is 2000 ns after the one before, and the first completion is 3000 ns after it.
    assertThat(sends.endedNanos(63) - sends.postedNanos(63)).isLessThanOrEqualTo(3000);
  }

  /** As in a log in which all are posted before the first completion. */
  @Test
  void aQueuePairThatSignalsAll_isKnownLate_andNothingIsUnmatched() {
    post(17, 0, 2, 0);
    post(17, 0, 2, SIGNALED);
    post(17, 0, 2, 0);
    long first = nanos;
    completion(0xcc, 17, 0, 0, 0);
    completion(0xcc, 17, 0, 0, 0);
    completion(0xcc, 17, 0, 0, 0);

    WorkRequests sends = requests().sends();
    QueueCounts counts = only(sends);
    assertThat(counts.covered()).isZero();
    assertThat(counts.unmatched()).isZero();
    assertThat(counts.open()).isZero();
    assertThat(sends.openCount()).isZero();
    for (long id = 0; id < 3; id++) {
      assertThat(sends.endedNanos(id)).isEqualTo(first + 1000 * id);
      assertThat(sends.signaled(id)).isTrue();
      assertThat(sends.coveredBy(id)).isEqualTo(WorkRequests.NONE);
    }
    assertThat(sends.ended().end()).isEqualTo(3);
  }

  /** One without the flag may be from before, so that it proves nothing. */
  @Test
  void aProgramWithAnUnseenBeginning_provesNothing() {
    program.begunBefore();
    post(17, 1, 2, 0);
    completion(0xcc, 17, 1, 0, 0);
    post(17, 2, 2, 0);

    assertThat(requests().sends().signaled(1)).isFalse();
  }

  @Test
  void whatComesBeforeAllProbesAreInPlace_isCounted_andNotMatched() {
    early("r c0 11 1 1 80 0");
    early("r c0 11 1 1 80 0");
    early("c c0 cc 1 0 80 93 40 11");
    receive(17, 1);
    receive(17, 2);
    completion(0xcc, 17, 1, 0, 128);

    Requests requests = requests();
    assertThat(requests.unseen().early()).isEqualTo(3);
    assertThat(requests.unseen().hasBeginning()).isFalse();
    assertThat(requests.receives().end()).isEqualTo(2);
    assertThat(requests.receives().isOpen(0)).isFalse();
    assertThat(requests.receives().endedNanos(0) - requests.receives().postedNanos(0))
        .isEqualTo(2000);
  }

  @Test
  void whatComesBeforeAllProbesAreInPlace_isCounted_alsoIfNothingFollows() {
    program.begunBefore();
    early("p c0 11 1 2 2 1 40 1234 7 0");
    program.end(false, "The end.");

    assertThat(requests().unseen().early()).isEqualTo(1);
    assertThat(requests().unseen().hasBeginning()).isFalse();
    assertThat(events())
        .extracting(Event::kind, Event::nanos)
        .containsExactly(tuple(EventKind.PROGRAM_UNSEEN, 1000L));
  }

  @Test
  void whatIsTold_isNotToldAgainAtTheEnd() {
    program.begunBefore();
    post(17, 1, 2, SIGNALED);
    program.end(false, "The end.");

    assertThat(events())
        .extracting(Event::kind)
        .containsExactly(EventKind.PROGRAM_UNSEEN, EventKind.PROGRAM_POST);
  }

  /** As perftest and ibv_rc_pingpong do: how many are on their way from before is not known. */
  @Test
  void withOneWridForAll_andAnUnseenBeginning_nothingIsMatched() {
    program.begunBefore();
    for (int i = 0; i < 5; i++) {
      receive(17, 1);
      completion(0xcc, 17, 1, 0, 128);
    }

    Requests requests = requests();
    assertThat(requests.receives().completions()).isZero();
    assertThat(requests.receives().seesCompletions()).isFalse();
    assertThat(requests.latencies().count(RequestKind.RECEIVE)).isZero();
    assertThat(only(requests.receives()).ambiguous()).isEqualTo(5);
    assertThat(ProgramAnalysis.findings(requests, requests.lastNanos()))
        .extracting(Finding::title)
        .containsExactly("completions that several requests may have had");
  }

  @Test
  void aFailureIsTold_alsoIfItIsNotKnownWhoseItIs() {
    program.begunBefore();
    post(17, 1, 2, SIGNALED);
    completion(0xcc, 17, 1, 12, 0);

    Requests requests = requests();
    assertThat(only(requests.sends()).ambiguous()).isEqualTo(1);
    assertThat(ProgramAnalysis.explain(requests, "", false).headline()).endsWith("; 1 failed.");
  }

  /** Before it was connected nothing could be posted to its send queue. */
  @Test
  void aQueuePairThatIsConnectedMeanwhile_isSeenFromItsBeginning() {
    program.begunBefore();
    take("d c0 11 0 0 0 0");
    post(17, 1, 2, SIGNALED);
    post(17, 1, 2, SIGNALED);
    completion(0xcc, 17, 1, 0, 0);

    WorkRequests sends = requests().sends();
    assertThat(sends.completions()).isEqualTo(1);
    assertThat(sends.seesCompletions()).isTrue();
  }

  @Test
  void withTwoOpenRequestsOfOneWrid_andAnUnseenBeginning_nothingIsMatched() {
    program.begunBefore();
    post(17, 1, 2, SIGNALED);
    post(17, 2, 2, SIGNALED);
    post(17, 1, 2, SIGNALED);
    completion(0xcc, 17, 1, 0, 0);

    assertThat(only(requests().sends()).ambiguous()).isEqualTo(1);
  }

  /** The first completion may be of a request from before with the same wrid. */
  @Test
  void withWridsThatTurnOutToRepeat_whatWasMatchedBefore_isNotKnownAnyMore() {
    program.begunBefore();
    post(17, 1, 2, SIGNALED);
    post(17, 2, 2, SIGNALED);
    post(18, 1, 2, SIGNALED);
    post(18, 2, 2, SIGNALED);
    completion(0xcc, 17, 1, 0, 0);
    completion(0xcc, 18, 1, 0, 0);
    assertThat(requests().sends().completions()).isEqualTo(2);
    post(17, 2, 2, SIGNALED);

    Requests requests = requests();
    WorkRequests sends = requests.sends();
    assertThat(sends.completions()).isEqualTo(1);
    assertThat(sends.isOpen(0)).isTrue();
    assertThat(sends.isOpen(2)).as("that of another queue pair").isFalse();
    assertThat(sends.openCount()).isEqualTo(4);
    assertThat(sends.ended().end()).isEqualTo(1);
    assertThat(sends.seesCompletions()).isFalse();
    assertThat(requests.latencies().count(RequestKind.SEND)).isEqualTo(1);
  }

  /** A ring of wrids: each is used again only after its completion. */
  @Test
  void withWridsThatAreUnique_completionsAreMatched_whateverWasBefore() {
    program.begunBefore();
    post(17, 1, 2, SIGNALED);
    post(17, 2, 2, SIGNALED);
    completion(0xcc, 17, 0, 0, 0);
    completion(0xcc, 17, 1, 0, 0);
    post(17, 0, 2, SIGNALED);
    post(17, 1, 2, SIGNALED);
    completion(0xcc, 17, 2, 0, 0);

    WorkRequests sends = requests().sends();
    assertThat(sends.completions()).isEqualTo(2);
    assertThat(sends.unmatched()).isEqualTo(1);
    assertThat(sends.isOpen(0)).isFalse();
    assertThat(sends.isOpen(1)).isFalse();
    assertThat(sends.seesCompletions()).isTrue();
  }
}
