// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.Explanation.State;
import org.wridscope.analysis.Explanation.Step;
import org.wridscope.analysis.meaning.Meaning;
import org.wridscope.analysis.meaning.Meanings;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.OperatorAct;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.WorkCompletionStatus;

final class ExplainerTest {
  private static final long SECOND = 1_000_000_000;

  private static List<String> texts(Explanation explanation) {
    return explanation.steps().stream()
        .map(step -> (step.role() == Role.SOURCE ? "S: " : "D: ") + step.text())
        .toList();
  }

  private static void assertProven(Explanation explanation, Script source, Script destination) {
    for (Step step : explanation.steps()) {
      if (step.event() < 0) {
        assertThat(step).isEqualTo(explanation.steps().getLast());
        continue;
      }
      Script of = step.role() == Role.SOURCE ? source : destination;
      List<Event> event = of.telemetry().log().read(step.event(), 1);
      assertThat(event).as(step.text()).hasSize(1);
      assertThat(event.getFirst().number()).isEqualTo(step.event());
      assertThat(event.getFirst().nanos())
          .as(step.text())
          .isBetween(step.nanos(), step.nanos() + 1_000);
    }
  }

  @Test
  void deadlock_isExplainedStepByStep() {
    var deadlock = new SeedDeadlock();
    Explanation explanation =
        Explainer.explain(
            deadlock.source().requests(),
            deadlock.destination().requests(),
            System.nanoTime(),
            null);
    assertThat(explanation.state()).isEqualTo(State.STUCK);
    assertThat(explanation.headline())
        .isEqualTo("The destination waits for a completion that it dropped itself.");
    assertThat(texts(explanation))
        .containsExactly(
            "D: The destination posts CONTROL RECV 0 to the receive queue.",
            "D: The destination posts CONTROL SEND (READY) to the send queue.",
            "D: The destination waits for the completion of CONTROL SEND (READY) and polls all"
                + " completions in the meantime.",
            "S: READY arrives at the source.",
            "S: The source posts CONTROL SEND (REGISTER REQUEST) to its send queue.",
            "D: The completion of CONTROL RECV 0, which holds REGISTER REQUEST, is polled before"
                + " the completion of CONTROL SEND (READY).",
            "D: The wait for the completion of CONTROL SEND (READY) drops the completion of CONTROL"
                + " RECV 0, which it does not expect.",
            "S: The completion of this SEND is polled: as far as the source can tell, REGISTER"
                + " REQUEST has arrived.",
            "S: The source starts to wait for the completion of CONTROL RECV 0.",
            "D: The completion of CONTROL SEND (READY) is polled; the wait for it is over.",
            "D: The destination starts to wait for the completion of CONTROL RECV 0, which was"
                + " dropped.",
            "D: The destination never handles REGISTER REQUEST: a request completes only once, and"
                + " the completion of CONTROL RECV 0 is gone. It therefore never answers, and the"
                + " source waits forever as well.");
    assertThat(explanation.remedy()).contains("b390afd8c50b");
    Step key = explanation.key();
    assertThat(key).isNotNull();
    assertThat(key.text()).contains("drops the completion");
    assertProven(explanation, deadlock.source(), deadlock.destination());
  }

  @Test
  void deadlock_isExplainedWithoutThePeer() {
    var deadlock = new SeedDeadlock();
    Explanation explanation =
        Explainer.explain(null, deadlock.destination().requests(), System.nanoTime(), null);
    assertThat(explanation.state()).isEqualTo(State.STUCK);
    assertThat(explanation.steps()).hasSize(8).allMatch(step -> step.role() == Role.DESTINATION);
    assertThat(explanation.steps().getLast().text())
        .contains("never handles what CONTROL RECV 0 holds")
        .contains("never answers the source");
    assertProven(explanation, deadlock.source(), deadlock.destination());
  }

  @Test
  void deadlock_isExplainedAfterTheWaitWasGivenUp() {
    var deadlock = new SeedDeadlock();
    deadlock.destination().at(9 * SECOND).waitEnds(SeedDeadlock.WAIT_RECEIVE);
    deadlock.destination().event(EventKind.STATUS, MigrationStatus.FAILED.ordinal(), 0, 0, 0);
    Explanation explanation =
        Explainer.explain(
            deadlock.source().requests(),
            deadlock.destination().requests(),
            System.nanoTime(),
            null);
    assertThat(explanation.headline())
        .isEqualTo("The destination waited for a completion that it dropped itself.");
    var ending = new Ending(State.FAILED, "Nothing came from the peer. The guest keeps running.");
    Explanation ended =
        Explainer.explain(
            deadlock.source().requests(),
            deadlock.destination().requests(),
            System.nanoTime(),
            ending);
    assertThat(ended.state()).isEqualTo(State.FAILED);
    assertThat(ended.headline()).isEqualTo(explanation.headline());
    assertThat(ended.summary()).isEqualTo(ending.sentence() + " " + explanation.summary());
  }

  @Test
  void dropWithoutAWaitForIt_isNoDeadlock() {
    var script = new Script(Role.DESTINATION);
    script.postReceive(0).dropped("a SEND", WorkRequestId.CONTROL_RECEIVE);
    script.postReceive(0).wait("a message", WorkRequestId.CONTROL_RECEIVE);
    script.receive(0, ControlType.QEMU_FILE, 5).waitEnds("a message");
    assertThat(explain(null, script).state()).isEqualTo(State.RUNNING);
  }

  private static Explanation explain(@Nullable Script source, @Nullable Script destination) {
    Script any = source != null ? source : destination;
    assertThat(any).isNotNull();
    return Explainer.explain(
        source == null ? null : source.requests(),
        destination == null ? null : destination.requests(),
        any.now(),
        null);
  }

  @Test
  void longWait_showsItsDurationAndTheStateOfThePeer() {
    var source = new Script(Role.SOURCE);
    source.postReceive(0).send(ControlType.RAM_BLOCKS_REQUEST, 0).sent();
    source.wait("the destination's READY", 0);
    // Both begin at the same moment, however long the machine took between them.
    var destination =
        new Script(new SessionTelemetry(Role.DESTINATION, true), source.telemetry().startNanos());
    destination.postReceive(0).receive(0, ControlType.RAM_BLOCKS_REQUEST, 0);
    Explanation explanation =
        Explainer.explain(
            source.requests(), destination.requests(), source.now() + 3 * SECOND, null);
    assertThat(explanation.state()).isEqualTo(State.WAITING);
    assertThat(explanation.headline())
        .isEqualTo("The source has waited for the destination's READY for 3.0 s.");
    assertThat(explanation.summary())
        .startsWith(
            "The destination is not waiting: it lists its RAM blocks, and registers them with"
                + " pin-all; its last event was 3.0");
    assertThat(texts(explanation))
        .contains(
            "S: The source sends RAM BLOCKS REQUEST, its last message so far.",
            "D: The destination receives it.",
            "S: The source starts to wait for the destination's READY.");
    assertProven(explanation, source, destination);
    Explanation soon =
        Explainer.explain(
            source.requests(), destination.requests(), source.now() + SECOND / 2, null);
    assertThat(soon.state()).isEqualTo(State.RUNNING);
    assertThat(soon.headline()).isEqualTo("Running normally.");
  }

  /** The destination waits while the source may not send; that is no trouble. */
  @Test
  void limit_thatMakesItLong_isTheHeadline_ratherThanTheWaitForIt() {
    var source = new Script(Role.SOURCE);
    source.postReceive(0).send(ControlType.QEMU_FILE, 8).sent();
    Metrics metrics = source.telemetry().metrics();
    var destination = new Script(Role.DESTINATION);
    destination.postReceive(0).wait("the peer's REGISTER REQUEST", 0);
    long now = source.now() + 3 * SECOND;
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    metrics.set(Metric.BANDWIDTH_LIMIT, 60L << 20);
    metrics.set(Metric.WAIT_BANDWIDTH_TIME, 2 * SECOND);
    assertThat(explain(source, destination, now).headline())
        .as("the source has done nothing for long, and does not wait for its limit")
        .startsWith("The destination has waited");

    source.telemetry().setWaitingFor(new Wait(Wait.Kind.BANDWIDTH));
    Explanation explanation = explain(source, destination, now);
    assertThat(explanation.state()).isEqualTo(State.RUNNING);
    assertThat(explanation.headline())
        .startsWith("The bandwidth limit of 60.0 MiB/s makes this migration slow")
        .endsWith(" % of the time.");
    assertThat(explanation.remedy()).startsWith("Raise the bandwidth limit");

    metrics.set(Metric.BANDWIDTH_LIMIT, 0);
    metrics.set(Metric.DOWNTIME_LIMIT, 300_000_000);
    metrics.set(Metric.EXPECTED_DOWNTIME, 2 * SECOND);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 5);
    assertThat(explain(source, destination, now).headline())
        .isEqualTo(
            "The downtime limit of 300 ms keeps this migration from its switch-over: after 5"
                + " rounds, the guest would be paused for 2.0 s.");
  }

  private static Explanation explain(Script source, Script destination, long now) {
    return Explainer.explain(source.requests(), destination.requests(), now, null);
  }

  @Test
  void longestWait_isExplainedByWhatTheOtherEndDidMeanwhile() {
    var source = new Script(Role.SOURCE);
    source.postReceive(0).receive(0, ControlType.READY, 0);
    source.event(EventKind.ROUND_BEGIN, 1, 0, 0, 1 << 20);
    var destination = new Script(Role.DESTINATION);
    destination.postReceive(0).wait("a message", 0);
    source.at(3 * SECOND).send(ControlType.REGISTER_REQUEST, 24);
    destination.at(3 * SECOND).receive(0, ControlType.REGISTER_REQUEST, 24).waitEnds("a message");
    Explanation explanation = explain(source, destination);
    assertThat(texts(explanation))
        .contains(
            "S: Meanwhile the source looks for dirty RAM that is not zero, before its first write"
                + " of the round.")
        .anyMatch(text -> text.startsWith("D: The destination waits for a message for 3.0"));
    assertProven(explanation, source, destination);
  }

  @Test
  void longestWait_whileTheOtherEndWaitedToo_saysNothingOfIt() {
    var source = new Script(Role.SOURCE);
    source.postReceive(0).wait("the destination's READY", 0);
    var destination = new Script(Role.DESTINATION);
    destination.postReceive(0).wait("a message", 0);
    destination.at(3 * SECOND).receive(0, ControlType.QEMU_FILE, 5).waitEnds("a message");
    assertThat(texts(explain(source, destination))).noneMatch(text -> text.contains("Meanwhile"));
  }

  @Test
  void destinationThatListens_isNotExplainedAsWaiting() {
    var destination = new Script(Role.DESTINATION);
    destination.wait("a source to connect", 0);
    Explanation explanation =
        Explainer.explain(null, destination.requests(), destination.now() + 60 * SECOND, null);
    assertThat(explanation.state()).isEqualTo(State.IDLE);
    assertThat(explanation.headline())
        .isEqualTo("The destination listens; no source has connected yet.");
  }

  @Test
  void failure_namesTheFirstRequestThatWasNotFlushed() {
    var source = new Script(Role.SOURCE);
    long bad = Script.write(0, 17);
    source.postWrite(Script.write(0, 16), true).postWrite(bad, true);
    source.postWrite(Script.write(0, 18), true);
    source.completion(Script.write(0, 16), WorkCompletionStatus.WR_FLUSH_ERR.value());
    source.completion(bad, WorkCompletionStatus.REM_ACCESS_ERR.value());
    source.completion(Script.write(0, 18), WorkCompletionStatus.WR_FLUSH_ERR.value());
    source.event(EventKind.STATUS, MigrationStatus.FAILED.ordinal(), 0, 0, 0);
    source.telemetry().setStatus(MigrationStatus.FAILED);
    Explanation explanation = explain(source, null);
    assertThat(explanation.state()).isEqualTo(State.FAILED);
    Meaning meaning = Meanings.of(WorkCompletionStatus.REM_ACCESS_ERR);
    assertThat(explanation.summary()).startsWith(meaning.means());
    assertThat(explanation.remedy()).isEqualTo(meaning.advice()).contains(meaning.next());
    assertThat(explanation.headline())
        .isEqualTo(
            "WRITE RDMA block 0 chunk 17 of the source completed with an error: remote access"
                + " error.");
    assertThat(explanation.remedy()).contains("key, address and length");
    assertProven(explanation, source, source);
  }

  @Test
  void flush_isNeverTheCause_andTheEventOfTheDeviceIsDecisive() {
    var source = new Script(Role.SOURCE);
    source.postWrite(Script.write(0, 16), true);
    source.event(EventKind.ASYNC, AsyncEventType.QP_FATAL.ordinal(), 0, 0, 2);
    source.completion(Script.write(0, 16), WorkCompletionStatus.WR_FLUSH_ERR.value());
    source.event(EventKind.STATUS, MigrationStatus.FAILED.ordinal(), 0, 0, 0);
    source.telemetry().setStatus(MigrationStatus.FAILED);
    Explanation without = explain(source, null);
    assertThat(without.headline()).isEqualTo("No request failed on its own.");
    assertThat(without.summary())
        .isEqualTo("1 outstanding request was flushed when the connection ended.");
    Step key = without.key();
    assertThat(key).isNotNull();
    assertThat(key.text()).contains("QP_FATAL");
    var ending = new Ending(State.FAILED, "The device reported a fatal error.");
    Explanation explanation = Explainer.explain(source.requests(), null, source.now(), ending);
    assertThat(explanation.state()).isEqualTo(State.FAILED);
    assertThat(explanation.headline()).isEqualTo(ending.sentence());
    assertProven(explanation, source, source);
  }

  @Test
  void failureAfterVeryManyRounds_isAmongTheSteps() {
    var source = new Script(Role.SOURCE);
    for (int round = 1; round <= 20_000; round++) {
      source.event(EventKind.ROUND_BEGIN, round, 0, 0, 4096);
    }
    source.event(EventKind.ASYNC, AsyncEventType.QP_FATAL.ordinal(), 0, 0, 2);
    source.event(EventKind.STATUS, MigrationStatus.FAILED.ordinal(), 0, 0, 0);
    source.telemetry().setStatus(MigrationStatus.FAILED);
    Explanation explanation = explain(source, null);
    assertThat(texts(explanation))
        .anyMatch(text -> text.contains("QP_FATAL"))
        .anyMatch(text -> text.contains("status failed"));
    assertThat(source.requests().milestones())
        .hasSize(10_000)
        .first()
        .extracting(Event::detail)
        .isEqualTo(1);
  }

  /** With many rounds only the first and the last ones are listed, and that is said. */
  @Test
  void course_hasWhatTheOperatorDid_amongManyRounds() {
    var source = new Script(Role.SOURCE);
    for (int round = 1; round <= 20; round++) {
      source.event(EventKind.ROUND_BEGIN, round, 0, 0, 4096);
      if (round == 10) {
        source.event(EventKind.OPERATED, OperatorAct.LIMITED_BANDWIDTH.ordinal(), 0, 0, 20_000_000);
        source.event(EventKind.OPERATED, OperatorAct.LIMITED_BANDWIDTH.ordinal(), 0, 0, 0);
        source.event(EventKind.OPERATED, OperatorAct.LIMITED_DOWNTIME.ordinal(), 0, 0, 250_000_000);
      }
      source.event(EventKind.ROUND_END, round, 0, 0, 4096);
    }
    Explanation explanation = explain(source, null);
    assertThat(texts(explanation))
        .hasSize(18)
        .containsSubsequence(
            "S: Round 4 begins with 4.00 KiB to send.",
            "S: 26 events of the source follow that only the Log shows, such as rounds.",
            "S: The operator changed the bandwidth limit to 19.1 MiB/s, at the source.",
            "S: The operator removed the bandwidth limit, at the source.",
            "S: The operator changed the downtime limit to 250 ms, at the source.",
            "S: Round 17 ends with 4.00 KiB processed.");
    assertProven(explanation, source, source);
  }

  @Test
  void course_hasRoundsLongestWaitAndHarmlessOvertaking() {
    var source = new Script(Role.SOURCE);
    source.postReceive(0).postReceive(1).postReceive(2);
    source.event(EventKind.ROUND_BEGIN, 1, 0, 0, 4096);
    source.receive(0, ControlType.READY, 0);
    source.send(ControlType.REGISTER_REQUEST, 32);
    source.wait("keys", 0).receive(1, ControlType.REGISTER_RESULT, 16).waitEnds("keys");
    source.sent();
    source.event(EventKind.STATUS, MigrationStatus.COMPLETED.ordinal(), 0, 0, 0);
    source.telemetry().setStatus(MigrationStatus.COMPLETED);
    Explanation explanation = explain(source, null);
    assertThat(explanation.state()).isEqualTo(State.COMPLETED);
    assertThat(explanation.headline()).isEqualTo("The migration ended with status completed.");
    assertThat(explanation.summary())
        .isEqualTo(
            "The source posted 4 requests: all have completed except 1 receive, which is posted for"
                + " a future message.");
    assertThat(texts(explanation))
        .anyMatch(text -> text.contains("its longest wait"))
        .anyMatch(text -> text.contains("no completion was dropped because of it"))
        .anyMatch(text -> text.contains("Round 1 begins"));
    assertProven(explanation, source, source);
  }

  @Test
  void course_distinguishesIncompleteSendsFromPostedReceives() {
    var source = new Script(Role.SOURCE);
    source.event(EventKind.ROUND_BEGIN, 1, 0, 0, 4096);
    source.postReceive(0).postReceive(1);
    source.send(ControlType.REGISTER_REQUEST, 32);
    assertThat(explain(source, null).summary())
        .isEqualTo(
            "The source posted 3 requests: 1 send or write has not completed; 2 receives are posted"
                + " for future messages.");
  }

  @Test
  void course_repeatedStatus_isOneStep() {
    var source = new Script(Role.SOURCE);
    source.event(EventKind.STATUS, MigrationStatus.ACTIVE.ordinal(), 0, 0, 0);
    source.event(EventKind.ROUND_BEGIN, 1, 0, 0, 4096);
    source.event(EventKind.STATUS, MigrationStatus.ACTIVE.ordinal(), 0, 0, 0);
    source.event(EventKind.STATUS, MigrationStatus.DEVICE.ordinal(), 0, 0, 0);
    assertThat(texts(explain(source, null)))
        .containsExactly(
            "S: The source changes to status active.",
            "S: Round 1 begins with 4.00 KiB to send.",
            "S: The source changes to status device.");
  }

  @Test
  void course_ofAHeldSource_saysWhenItWasHeldAndWhenPermitted_howeverManyRoundsLater() {
    var source = new Script(Role.SOURCE);
    status(source, MigrationStatus.ACTIVE);
    status(source, MigrationStatus.PRE_SWITCHOVER);
    for (int round = 2; round < 2000; round++) {
      source.event(EventKind.ROUND_BEGIN, round, 0, 0, 4096);
      source.event(EventKind.ROUND_END, round, 0, 0, 4096);
    }
    assertThat(explain(source, null).headline())
        .isEqualTo("The source could switch over, and waits for permission.");
    status(source, MigrationStatus.ACTIVE);
    status(source, MigrationStatus.DEVICE);
    assertThat(texts(explain(source, null)))
        .containsExactly(
            "S: The source changes to status active.",
            "S: The source could switch over, and waits for permission.",
            "S: The source changes to status active.",
            "S: The source changes to status device.");
  }

  private static void status(Script end, MigrationStatus status) {
    end.event(EventKind.STATUS, status.ordinal(), 0, 0, 0);
    end.telemetry().setStatus(status);
  }
}
