// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.account.Account;
import org.wridscope.analysis.Requests;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.QueueId;
import org.wridscope.telemetry.QueuePairChange;
import org.wridscope.telemetry.QueuePairPath;
import org.wridscope.telemetry.SessionTelemetry;

final class ProgramSummaryTest {
  private static final long QUEUE = QueueId.ofQueuePair(0, 17).argument();
  private static final int SEND_SIGNALED = 2 | 2 << 8;

  private final SessionTelemetry telemetry = SessionTelemetry.ofProgram(Account::new);
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

  @Test
  void registrations_areTold_ifTheyAreSeen() {
    assertThat(summary()).doesNotContain("registered");
    telemetry.programEvent(++nanos, EventKind.PROGRAM_REGIONS, 2, 3, 0, 3000);
    telemetry.programEvent(++nanos, EventKind.PROGRAM_REGISTERED, 0, 7, 0x1000, 1024);
    telemetry.programEvent(++nanos, EventKind.PROGRAM_DEREGISTERED, 0, 7, 0x1000, 1024);
    telemetry.programEvent(++nanos, EventKind.PROGRAM_REGION_REFUSED, 12, 0, 0x1000, 1024);
    var requests = new Requests(telemetry).readAll();
    assertThat(String.join("\n", ProgramSummary.lines(requests)))
        .contains(
            "3 regions of 2.93 KiB, at most 4 of 3.93 KiB; meanwhile 1 registered, 1 deregistered; 1"
                + " refused to register with errno 12 (ENOMEM)");
    assertThat(ProgramJson.of("x", "The end.", requests).toString())
        .contains("\"now\":3,\"bytes\":3000,\"most\":4")
        .contains("\"to register with errno 12 (ENOMEM)\":1");
    telemetry.programEvent(++nanos, EventKind.PROGRAM_REGIONS, 1, 0, 0, 0);
    assertThat(String.join("\n", ProgramSummary.lines(new Requests(telemetry).readAll())))
        .contains("how much is not known; meanwhile 1 registered, 1 deregistered");
  }

  /**
   * Of sends how they were posted, of receives how long there was none, of both repeated wr_ids.
   */
  @Test
  void flags_emptyQueues_repeatedWrids_andEmptyPolls_areTold() {
    add(EventKind.PROGRAM_POST, 2, 10, 1);
    add(EventKind.PROGRAM_POST, 2 | 8 << 8, 10, 2);
    add(EventKind.PROGRAM_POST, SEND_SIGNALED, 10, 3);
    add(EventKind.PROGRAM_POST, SEND_SIGNALED, 10, 3);
    add(EventKind.PROGRAM_RECEIVE, 0, 10, 5);
    add(EventKind.PROGRAM_COMPLETION, 128 << 8, 10, 5);
    nanos += 2_000_000;
    add(EventKind.PROGRAM_RECEIVE, 0, 10, 5);
    telemetry.log().add(++nanos, EventKind.PROGRAM_POLLED_EMPTY, 0, 1234, 0, 1L << 32);
    String lines = String.join("\n", ProgramSummary.lines(new Requests(telemetry).readAll()));
    assertThat(lines)
        .contains("2 signaled; 1 inline; 2 unsignaled in a row at most")
        .contains("1 posted while their wr_id was open")
        .contains("empty 1 time until the next post, at most for 2.0 ms")
        .contains("1,234 empty polls");
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
