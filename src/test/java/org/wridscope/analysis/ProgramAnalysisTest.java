// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.wridscope.account.Account;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Finding.Severity;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.verbs.WorkCompletionStatus;

/** What is said of a program is what it did. */
final class ProgramAnalysisTest {
  private static final int SEND_SIGNALED = 2 | 2 << 8;
  private static final int RNR_RETRY = WorkCompletionStatus.RNR_RETRY_EXC_ERR.value();
  private static final int SENT = 0;
  private static final int RECEIVED = 128;
  private static final int FLUSHED = WorkCompletionStatus.WR_FLUSH_ERR.value();

  private final SessionTelemetry telemetry = SessionTelemetry.ofProgram(Account::new);
  private long nanos;

  private void add(EventKind kind, int detail, long wrid, int queuePair) {
    telemetry
        .log()
        .add(++nanos, kind, detail, 64, wrid, QueueId.ofQueuePair(0, queuePair).argument());
  }

  private void post(long wrid, int queuePair) {
    add(EventKind.PROGRAM_POST, SEND_SIGNALED, wrid, queuePair);
  }

  /** As many completions as wrids, by one poll. */
  private void poll(int completionQueue, int operation, int queuePair, long... wrids) {
    nanos++;
    for (long wrid : wrids) {
      telemetry
          .log()
          .add(
              nanos,
              EventKind.PROGRAM_COMPLETION,
              operation << 8,
              64,
              wrid,
              QueueId.ofQueuePair(0, queuePair).argument() | (long) completionQueue << 32);
    }
  }

  private void complete(long wrid, int queuePair, int status) {
    add(EventKind.PROGRAM_COMPLETION, status | (status == 0 ? 0 : 1 << 8), wrid, queuePair);
  }

  private Requests requests() {
    return new Requests(telemetry).readAll();
  }

  private static List<Finding> findings(Requests requests) {
    return ProgramAnalysis.findings(requests, requests.lastNanos());
  }

  @Test
  void aProgramThatRuns_withoutErrors() {
    post(1, 17);
    complete(1, 17, 0);
    Explanation explanation = ProgramAnalysis.explain(requests(), "", false);
    assertThat(explanation.state()).isEqualTo(State.RUNNING);
    assertThat(explanation.headline()).isEqualTo("1 request on 1 queue; none failed.");
    assertThat(explanation.steps()).isEmpty();
    assertThat(explanation.remedy()).isEmpty();
    assertThat(findings(requests())).isEmpty();
  }

  @Test
  void failures_areToldOneByOne_theFirstIsTheCause() {
    post(1, 17);
    post(2, 17);
    post(3, 18);
    complete(1, 17, RNR_RETRY);
    complete(2, 17, FLUSHED);
    complete(3, 18, 0);
    Explanation explanation = ProgramAnalysis.explain(requests(), "The program ended.", false);
    assertThat(explanation.state()).isEqualTo(State.UNSOUND);
    assertThat(explanation.headline()).isEqualTo("3 requests on 2 queues; 2 failed.");
    assertThat(explanation.summary()).isEqualTo("The program ended.");
    assertThat(explanation.steps()).hasSize(2);
    assertThat(explanation.steps().getFirst().isKey()).isTrue();
    assertThat(explanation.steps().getFirst().event()).isEqualTo(3);
    assertThat(explanation.steps().getFirst().text())
        .startsWith("SEND 0x1 of QP 17 completed with RNR_RETRY_EXC_ERR: ");
    assertThat(explanation.steps().getLast().isKey()).isFalse();
    assertThat(explanation.remedy()).contains("Look at: ");
    assertThat(findings(requests()))
        .extracting(Finding::title, Finding::severity)
        .containsExactly(
            tuple("RNR_RETRY_EXC_ERR", Severity.ERROR), tuple("WR_FLUSH_ERR", Severity.INFO));
  }

  @Test
  void openRequests_areAFindingOnlyAtTheEnd_andNoAlarmIfTheProgramEndedAtOnce() {
    post(1, 17);
    assertThat(findings(requests())).isEmpty();
    telemetry.setStatus(MigrationStatus.COMPLETED);
    Requests requests = requests();
    long posted = requests.sends().postedNanos(0);
    assertThat(ProgramAnalysis.findings(requests, posted + 999_999_999))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.severity()).isEqualTo(Severity.INFO);
          assertThat(finding.title()).isEqualTo("requests open at the end");
          assertThat(finding.seen())
              .isEqualTo("1 request to send queues without a completion, on QP 17.");
          assertThat(finding.advice()).isEmpty();
        });
    assertThat(ProgramAnalysis.findings(requests, posted + 2_000_000_000))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.severity()).isEqualTo(Severity.WARNING);
          assertThat(finding.title()).isEqualTo("requests never completed");
          assertThat(finding.seen())
              .isEqualTo(
                  "1 request to send queues without a completion, on QP 17; the oldest signaled"
                      + " one was posted 2.0 s before the end.");
        });
  }

  @Test
  void completionQueueOfSendsAndReceives_isToldAsTheMistakeOfQemu_whenTheProgramStandsStill() {
    add(EventKind.PROGRAM_RECEIVE, 0, 8, 17);
    add(EventKind.PROGRAM_RECEIVE, 0, 9, 17);
    post(1, 17);
    poll(1, RECEIVED, 17, 8);
    poll(1, SENT, 17, 1);
    post(2, 17);
    Finding harmless = sharedQueue(2_000_000_000);
    assertThat(harmless.severity()).isEqualTo(Severity.INFO);
    assertThat(harmless.seen())
        .isEqualTo(
            "Completion queue 1: 1 completion of sends and 1 of receives; 1 receive was polled"
                + " while a send of the same queue pair had not completed.");

    poll(1, RECEIVED, 17, 9);
    // A program that ends at once after its last receive does not stand still.
    assertThat(sharedQueue(999_999_999).severity()).isEqualTo(Severity.INFO);
    Finding standing = sharedQueue(1_000_000_000);
    assertThat(standing.severity()).isEqualTo(Severity.WARNING);
    assertThat(standing.seen())
        .contains("; 2 receives were polled")
        .endsWith("The last completion is such a receive, and nothing was posted after it.");

    post(3, 17);
    assertThat(sharedQueue(2_000_000_000).severity()).isEqualTo(Severity.INFO);
  }

  private Finding sharedQueue(long standing) {
    Requests requests = requests();
    return ProgramAnalysis.findings(requests, requests.lastNanos() + standing).stream()
        .filter(finding -> finding.title().equals("completion queue shared by sends and receives"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void separateCompletionQueues_arePolledRarely_whenEachPollReturnsMany() {
    for (int i = 0; i < 10; i++) {
      long[] wrids = LongStream.range(8L * i, 8L * i + 8).toArray();
      for (long wrid : wrids) {
        post(wrid, 17);
      }
      poll(1, SENT, 17, wrids);
      add(EventKind.PROGRAM_RECEIVE, 0, i, 17);
      poll(2, RECEIVED, 17, i);
    }
    Requests requests = requests();
    assertThat(ProgramAnalysis.findings(requests, requests.lastNanos()))
        .singleElement()
        .satisfies(finding -> {
          assertThat(finding.title()).isEqualTo("completions polled rarely");
          assertThat(finding.seen())
              .isEqualTo("Completion queue 1: 80 completions in 10 polls, up to 8 at once.");
        });
    QueueId queue = QueueId.ofQueuePair(0, 17);
    assertThat(requests.polledQueues().of(queue, QueueType.SEND)).isEqualTo(1);
    assertThat(requests.polledQueues().of(queue, QueueType.RECEIVE)).isEqualTo(2);
    assertThat(requests.sends().queues().iterator().next().mostOpen()).isEqualTo(8);
  }

  @Test
  void whatWasNotSeen_isSaid() {
    complete(9, 20, 0);
    add(EventKind.PROGRAM_REFUSED, 12, 5, 21);
    telemetry.log().add(++nanos, EventKind.PROGRAM_UNSEEN, 2, 1000, 0, 0);
    assertThat(findings(requests()))
        .extracting(Finding::title)
        .containsExactly(
            "posts refused", "not everything was seen", "completions whose post was not seen");
    assertThat(findings(requests()).get(1).seen()).contains("1,000 events lost");
  }

  @Test
  void ofManyQueues_theFirstAreNamed() {
    for (int pair = 1; pair <= 9; pair++) {
      post(1, pair);
      complete(1, pair, RNR_RETRY);
    }
    assertThat(findings(requests()).getFirst().seen())
        .isEqualTo(
            "9 completions with this status, on QP 1, QP 2, QP 3, QP 4, QP 5, QP 6 and 3 more.");
  }

  @Test
  void aSendQueueFullOfUnsignaledRequests_isAWarning() {
    for (int wrid = 0; wrid < 4; wrid++) {
      add(EventKind.PROGRAM_POST, 2, wrid, 17);
    }
    add(EventKind.PROGRAM_REFUSED, 12, 9, 17);
    assertThat(findings(requests()))
        .extracting(Finding::title)
        .contains("send queue full of unsignaled requests");
  }

  @Test
  void aFullSendQueueWithASignaledRequest_isEmptiedByItsCompletion() {
    post(1, 17);
    add(EventKind.PROGRAM_POST, 2, 2, 17);
    add(EventKind.PROGRAM_REFUSED, 12, 9, 17);
    assertThat(findings(requests()))
        .extracting(Finding::title)
        .contains("posts refused")
        .doesNotContain("send queue full of unsignaled requests");
  }
}
