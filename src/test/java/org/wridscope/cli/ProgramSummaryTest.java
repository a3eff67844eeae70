// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Requests;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.telemetry.SessionTelemetry;

final class ProgramSummaryTest {
  private static final long QUEUE = QueueId.ofQueuePair(0, 17).argument();
  private static final int SEND_SIGNALED = 2 | 2 << 8;

  private final SessionTelemetry telemetry = SessionTelemetry.ofProgram();
  private long nanos;

  private void add(EventKind kind, int detail, int length, long wrid) {
    telemetry.log().add(++nanos, kind, detail, length, wrid, QUEUE);
  }

  private String summary() {
    add(EventKind.PROGRAM_POST, SEND_SIGNALED, 10, 1);
    add(EventKind.PROGRAM_POST, SEND_SIGNALED, 10, 1);
    add(EventKind.PROGRAM_COMPLETION, 0, 10, 1);
    return String.join("\n", ProgramSummary.lines(new Requests(telemetry).readAll()));
  }

  @Test
  void requestsWithoutACompletion_areCounted() {
    assertThat(summary())
        .contains("2 posted, at most 2 open at once; completions: 1 SUCCESS; 1 never completed")
        .doesNotContain("not seen", "child");
  }

  /** To RTR, with the peer; then a refused call. */
  @Test
  void whatIsSetOfAQueuePair_andWhatIsRefused_isTold() {
    int address = telemetry.phrase("10.9.0.2");
    int peer = telemetry.phrase("QP 21 at 10.9.0.2");
    int mask = 1 | 1 << 7 | 1 << 8 | 1 << 20;
    QueueId queue = QueueId.ofArgument(QUEUE);
    for (int errno : new int[] {0, 22}) {
      var change = new QueuePairChange(queue, errno, mask, 2, 3, 1, 0, 0, 0, 0, 0);
      add(EventKind.PROGRAM_MODIFIED, errno, mask, change.wrid());
      var path = new QueuePairPath(queue, mask, address, 21, 0, 0);
      telemetry
          .log()
          .add(
              ++nanos,
              EventKind.PROGRAM_PATH,
              path.address(),
              path.queuePair(),
              path.wrid(),
              path.argument());
    }
    add(EventKind.PROGRAM_PEER, peer, 0, 0);

    Requests requests = new Requests(telemetry).readAll();
    assertThat(String.join("\n", ProgramSummary.lines(requests)))
        .contains("QP 17 to QP 21 at 10.9.0.2 set: RTR, path MTU 1024")
        .contains("RTR refused with errno 22 (EINVAL), path MTU 1024, peer's QP 21, peer's address")
        .doesNotContain("child");
    assertThat(ProgramJson.of("x", "The end.", requests).toString())
        .contains("\"name\":\"QP 17\",\"peer\":\"QP 21 at 10.9.0.2\",\"state\":\"RTR\"")
        .contains("\"path-mtu\":1024,\"dest-qp-num\":21}")
        .contains("\"errno\":22");
  }

  /** As sh -c, timeout and mpirun do. */
  @Test
  void aProgramWhoseChildrenDoIt_isNotJustEmpty() {
    assertThat(String.join("\n", ProgramSummary.lines(new Requests(telemetry).readAll())))
        .contains("if a child of this process does so, attach to the child by its PID");
  }

  /** The completion may be of a request from before. */
  @Test
  void ofAProgramThatRanAlready_itIsNotSaidThatRequestsNeverCompleted() {
    add(EventKind.PROGRAM_UNSEEN, 5, 3, 0);

    assertThat(summary())
        .contains("2 posted; completions: 1 SUCCESS; 2 of which that is not known")
        .contains("3 before all probes were in place")
        .doesNotContain("never");
  }
}
