// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.account.Account;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SentAgain;
import org.wridscope.telemetry.SessionTelemetry;

/** Requests that were sent again after their memory had been released. */
final class EarlyReleaseTest {
  private static final long SEND = WorkRequestId.of(WorkRequestId.CONTROL_SEND, 0, 0);

  private final Script script = new Script(Role.SOURCE);

  private void sentAgain(long request, long wrid, SentAgain.Data data) {
    script.event(EventKind.SENT_AGAIN, data.ordinal(), 16, wrid, request);
  }

  private Explanation explain() {
    return Explainer.explain(script.requests(), null, script.now(), null);
  }

  private long marks(Marks.Kind kind) {
    return script.requests().marks().count(kind);
  }

  @Test
  void writeWhoseMemoryIsGone_isExplainedWithItsDeregistration_andWhileItRuns() {
    long wrid = Script.write(0, 9);
    script.postWrite(Script.write(0, 1), false).postWrite(wrid, true);
    script.event(EventKind.DEREGISTERED, 0, 4, Script.write(0, 0), 77);
    script.event(EventKind.DEREGISTERED, 0, 4, Script.write(1, 8), 78);
    script.event(EventKind.DEREGISTERED, 0, 4, Script.write(0, 8), 79);
    sentAgain(1, wrid, SentAgain.Data.NONE);
    Explanation explanation = explain();
    assertThat(explanation.state()).isEqualTo(State.RUNNING);
    assertThat(explanation.steps())
        .extracting(Step::text)
        .satisfiesExactly(
            post -> assertThat(post).contains("posts WRITE RDMA block 0 chunk 9"),
            release -> assertThat(release).contains("block 0 chunks 8 to 11"),
            again -> assertThat(again).contains("is no longer registered"));
    assertThat(explanation.key()).isEqualTo(explanation.steps().getLast());
  }

  @Test
  void onlyWhatIsAMistake_isMarked() {
    long wrid = Script.write(0, 9);
    script.postWrite(wrid, true);
    sentAgain(0, wrid, SentAgain.Data.SAME);
    // The guest has written to its RAM.
    sentAgain(0, wrid, SentAgain.Data.OTHER);
    // Another request than the event says, and one that was never posted.
    sentAgain(0, SEND, SentAgain.Data.NONE);
    sentAgain(5, wrid, SentAgain.Data.NONE);
    assertThat(marks(Marks.Kind.MEMORY_GONE)).isZero();
    assertThat(marks(Marks.Kind.MEMORY_REUSED)).isZero();
    sentAgain(0, wrid, SentAgain.Data.NONE);
    assertThat(marks(Marks.Kind.MEMORY_GONE)).isEqualTo(1);
  }

  @Test
  void finding_namesBothMistakes_andCountsNoChangeOfRam() {
    var telemetry = new SessionTelemetry(Role.DESTINATION, true, Account::new);
    telemetry.sentAgain(new SentAgain(0, Script.write(0, 9), 16, SentAgain.Data.OTHER));
    telemetry.sentAgain(new SentAgain(1, SEND, 16, SentAgain.Data.SAME));
    telemetry.takeSentAgain();
    assertThat(EarlyRelease.finding(telemetry)).isNull();
    assertThat(telemetry.metrics().get(Metric.REQUESTS_SENT_AGAIN)).isEqualTo(2);
    telemetry.sentAgain(new SentAgain(2, SEND, 16, SentAgain.Data.OTHER));
    telemetry.sentAgain(new SentAgain(3, SEND, 16, SentAgain.Data.NONE));
    assertThat(EarlyRelease.finding(telemetry)).as("the engine has not taken them").isNull();
    telemetry.takeSentAgain();
    assertThat(EarlyRelease.finding(telemetry))
        .isEqualTo(
            "At the destination, memory was deregistered before its request had completed; the"
                + " device had to send 1 request again and could not. At the destination, buffers"
                + " were reused before their SENDs had completed: other data went onto the wire"
                + " when the device sent 1 control message again.");
  }
}
