// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.Slow;
import org.wridscope.analysis.EventText;
import org.wridscope.control.Lab;
import org.wridscope.control.LocalSessions;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionTelemetry;

/** Scenarios end as they expect, in real time. */
@Slow("whole migrations, in real time")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ScenarioRunTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LocalSessions sessions = new LocalSessions();

  @AfterEach
  void close() {
    sessions.close();
  }

  private Lab run(Scenario scenario, int run) throws IOException, InterruptedException {
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(run));
    assertThat(Verdict.await(scenario, run, lab, () -> {}).problems())
        .as("%s, run %d", scenario.name(), run)
        .isEmpty();
    Statements.check("%s, run %d".formatted(scenario.name(), run), lab);
    return lab;
  }

  /**
   * In real time, as with {@code lab --real-time}; {@code ScheduledScenariosTest} runs all of them.
   */
  @ParameterizedTest
  @ValueSource(strings = {"tiny-queues", "virtqueue-in-flight"})
  void shipped_comesOutAsItSays(String name) throws Exception {
    var _ = run(Scenarios.find(name), 0);
  }

  @Test
  void registrationLimit_namesTheRange_andNotTheLimitOfLockedMemory() throws Exception {
    Lab lab = run(Scenarios.find("registration-limit"), 0);
    assertThat(lab.destination().outcome())
        .matches(
            "RAM block 0 \\(pc\\.ram\\), 64 chunks from chunk 192 \\(67108864 bytes at"
                + " 0x[0-9a-f]{16} to 0x[0-9a-f]{16}\\) could not be registered, with 3"
                + " registrations alive: .* limit of 4 memory regions \\(max_mr\\)\\..*")
        .doesNotContain("ulimit");
  }

  /** The late event comes while the first one's handler is held; nobody hears it. */
  @Test
  void numberReuse_waitsForTheHandler_andTheNextOwnerHearsNothing() throws Exception {
    Scenario scenario = Scenarios.find("number-reuse");
    Lab failed = run(scenario, 0);
    Lab next = run(scenario, 1);
    assertThat(events(failed, EventKind.ASYNC)).containsExactly("QP_FATAL of queue pair 2");
    assertThat(events(failed, EventKind.WAIT_END))
        .filteredOn(text -> text.contains("the handler of an event of queue pair 2"))
        .hasSize(1);
    assertThat(events(next, EventKind.ASYNC)).isEmpty();
    SessionTelemetry former = failed.source().telemetry();
    assertThat(QueuePairEvents.sentence(former, null))
        .matches(
            "Queue pair 2: 1 event \\(QP_FATAL\\) reached the source;"
                + " destroying the queue pair waited [0-9.]+ m?s until its handler had"
                + " returned\\.");
    assertThat(QueuePairEvents.sentence(next.source().telemetry(), former))
        .isEqualTo(
            "Queue pair 2, a number used again: no event, neither its own nor one of the former"
                + " queue pair, reached the source.");
    for (Lab lab : List.of(failed, next)) {
      Metrics metrics = lab.source().telemetry().metrics();
      assertThat(metrics.get(Metric.QUEUE_PAIR_NUMBER)).isEqualTo(2);
      assertThat(metrics.get(Metric.QUEUE_PAIR_IDS)).isEqualTo(5);
      assertThat(metrics.get(Metric.QUEUE_PAIR_REFERENCES)).isZero();
    }
    next.source().telemetry().metrics().set(Metric.QUEUE_PAIR_NUMBER, 7);
    assertThat(Verdict.of(scenario, 1, next).problems())
        .containsExactly("The source's queue pair had the number 7 instead of 2.");
  }

  /** A driver that frees numbers too early hurts the next queue pair. */
  @Test
  void numberReuseWrong_endsARunWithNothingWrong_whichSaysSo() throws Exception {
    Scenario scenario = Scenarios.find("number-reuse-wrong");
    Lab failed = run(scenario, 0);
    Lab next = run(scenario, 1);
    assertThat(events(failed, EventKind.ASYNC)).containsExactly("QP_FATAL of queue pair 2");
    assertThat(events(next, EventKind.ASYNC)).containsExactly("QP_FATAL of queue pair 2");
    assertThat(QueuePairEvents.sentence(next.source().telemetry(), failed.source().telemetry()))
        .isEqualTo("Queue pair 2, a number used again: 1 event (QP_FATAL) reached the source.");
    assertThat(next.source().telemetry().log().read(0, Integer.MAX_VALUE))
        .filteredOn(EventText::failed)
        .first()
        .as("nothing fails before the event")
        .extracting(Event::kind)
        .isEqualTo(EventKind.ASYNC);
    assertThat(next.source().guestRunning()).isTrue();
  }

  private static List<String> events(Lab lab, EventKind kind) {
    SessionTelemetry telemetry = lab.source().telemetry();
    return telemetry.log().read(0, Integer.MAX_VALUE).stream()
        .filter(event -> event.kind() == kind)
        .map(event -> EventText.summary(event, telemetry))
        .toList();
  }

  @Test
  void verdict_tellsWhatWasNotExpected() throws Exception {
    Scenario scenario =
        ScenarioReader.read(
            "wrong",
            "wrong",
            "{\"title\":\"T\",\"about\":\"A.\",\"guest\":{\"ram\":\"1MiB\"},"
                + "\"expect\":{\"status\":\"failed\"}}");
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
    assertThat(lab.source().await(PATIENCE)).isTrue();
    assertThat(lab.destination().await(PATIENCE)).isTrue();
    assertThat(Verdict.of(lab).problems()).isEmpty();
    assertThat(Verdict.of(scenario, 0, lab).problems())
        .containsExactly("The source ended 'completed' instead of 'failed'.");
  }

  @Test
  void verdict_tellsWhatNoDriverMet() throws Exception {
    Scenario scenario =
        ScenarioReader.read(
            "sound",
            "sound",
            "{\"title\":\"T\",\"about\":\"A.\",\"guest\":{\"ram\":\"1MiB\"},\"expect\":{\"status\":\"completed\",\"virtio\":\"is"
                + " lost\",\"driver\":\"did not\"}}");
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
    assertThat(Verdict.await(scenario, 0, lab, () -> {}).problems())
        .contains(
            "The check of the virtio requests should have found \"is lost\", but found nothing.",
            "A driver should have met \"did not\", but met nothing.");
  }

  @Test
  void verdict_countsEveryRequest() throws Exception {
    Scenario scenario =
        ScenarioReader.read(
            "counted",
            "counted",
            "{\"title\":\"T\",\"about\":\"A.\",\"guest\":{\"ram\":\"1MiB\"}}");
    Lab lab = run(scenario, 0);
    Metrics metrics = lab.source().telemetry().metrics();
    long sends = metrics.get(Metric.SENDS_POSTED);
    metrics.increment(Metric.SENDS_POSTED);
    assertThat(Verdict.of(lab).problems())
        .containsExactly(
            "At the source, %d sends were posted and %d completed.".formatted(sends + 1, sends));
    metrics.increment(Metric.SENDS_COMPLETED);
    metrics.increment(Metric.WRITES_COMPLETED);
    assertThat(Verdict.of(lab).problems()).singleElement().asString().contains("writes were");
    metrics.increment(Metric.WRITES_POSTED);
    assertThat(Verdict.of(lab).good()).isTrue();
    long receives = metrics.get(Metric.RECEIVES_COMPLETED);
    for (long wrong : new long[] {-1, metrics.get(Metric.RECEIVE_QUEUE_DEPTH) + 1}) {
      metrics.set(Metric.RECEIVES_POSTED, receives + wrong);
      assertThat(Verdict.of(lab).problems()).singleElement().asString().contains("receives were");
    }
  }

  @Test
  void verdict_ofASourceThatNeverConnected_doesNotLeaveTheDestinationWaiting() throws Exception {
    Scenario scenario =
        ScenarioReader.read(
            "too-small",
            "too-small",
            "{\"title\":\"T\",\"about\":\"A.\",\"guest\":{\"ram\":\"1MiB\"},"
                + "\"source\":{\"max-qp-wr\":2},"
                + "\"expect\":{\"status\":\"failed\",\"says\":\"(max_qp_wr)\"}}");
    Lab lab = run(scenario, 0);
    assertThat(lab.destination().status()).isEqualTo(MigrationStatus.CANCELLED);
  }

  @Test
  void verdict_ofOneThatGoesOn_saysThatItHangs() throws Exception {
    Scenario scenario =
        ScenarioReader.read(
            "long",
            "long",
            "{\"title\":\"T\",\"about\":\"A.\",\"guest\":{\"ram\":\"64MiB\"},"
                + "\"source\":{\"link\":\"1MiB/s\"}}");
    Lab lab = sessions.startLab(scenario.lab(), scenario.faults(0));
    assertThat(Verdict.of(lab).problems())
        .singleElement()
        .asString()
        .startsWith("The migration hangs:");
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> sessions.startLab(scenario.lab(), scenario.faults(0)))
        .withMessageContaining("is still running");
    lab.source().cancel();
    assertThat(lab.source().await(PATIENCE)).isTrue();
    assertThat(lab.source().status()).isEqualTo(MigrationStatus.CANCELLED);
  }
}
