// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.figures.Figure;
import org.wridscope.figures.Observation;
import org.wridscope.figures.Reading;
import org.wridscope.time.Scheduler;
import org.wridscope.time.Time;

final class SessionTelemetryTest {
  /** They come from other threads than the engine's. */
  @Test
  void actsOfOperators_areInTheLog_inTheOrderOfTime_untilTheEnd() {
    var telemetry = new SessionTelemetry(Role.SOURCE, true);
    telemetry.operated(OperatorAct.PAUSED);
    telemetry.event(EventKind.ROUND_BEGIN, 1, 0, 0, 0);
    telemetry.operated(OperatorAct.CONTINUED);
    telemetry.sample(System.nanoTime());
    telemetry.event(EventKind.ROUND_END, 1, 0, 0, 0);
    telemetry.operated(OperatorAct.TO_ARRIVE_PAUSED);
    telemetry.setStatus(MigrationStatus.COMPLETED);
    telemetry.operated(OperatorAct.TO_ARRIVE_RUNNING);
    telemetry.sample(System.nanoTime());
    List<Event> events = telemetry.log().read(0, 100);
    assertThat(events)
        .extracting(event -> event.kind() + " " + event.detail())
        .containsExactly(
            "OPERATED " + OperatorAct.PAUSED.ordinal(),
            "ROUND_BEGIN 1",
            "OPERATED " + OperatorAct.CONTINUED.ordinal(),
            "ROUND_END 1",
            "OPERATED " + OperatorAct.TO_ARRIVE_PAUSED.ordinal(),
            "STATUS " + MigrationStatus.COMPLETED.ordinal());
    assertThat(events).extracting(Event::nanos).isSorted();
  }

  /** What a limit is at the beginning is no act of the operator, nor is the same limit again. */
  @Test
  void changesOfLimits_areInTheLog() {
    var telemetry = new SessionTelemetry(Role.SOURCE, true);
    telemetry.metrics().set(Metric.BANDWIDTH_LIMIT, 1_000);
    telemetry.limitBandwidth(1_000);
    telemetry.limitBandwidth(2_000);
    telemetry.limitDowntime(Duration.ofMillis(3));
    telemetry.sample(System.nanoTime());
    assertThat(telemetry.metrics().get(Metric.BANDWIDTH_LIMIT)).isEqualTo(2_000);
    assertThat(telemetry.metrics().get(Metric.DOWNTIME_LIMIT)).isEqualTo(3_000_000);
    assertThat(telemetry.log().read(0, 100))
        .extracting(event -> OperatorAct.of(event.detail()), Event::argument)
        .containsExactly(
            tuple(OperatorAct.LIMITED_BANDWIDTH, 2_000L),
            tuple(OperatorAct.LIMITED_DOWNTIME, 3_000_000L));
  }

  /** Times are counted from the first phase. */
  @Test
  void phases_whenThereAreTooMany_areTheFirstAndTheNewest() {
    var telemetry = new SessionTelemetry(Role.SOURCE, false);
    telemetry.beginPhase(Phase.Kind.CONNECT);
    for (int round = 1; round <= 2 * SessionTelemetry.PHASES_KEPT; round++) {
      telemetry.beginRound(round);
    }
    assertThat(telemetry.phases()).hasSize(SessionTelemetry.PHASES_KEPT);
    assertThat(telemetry.phases().getFirst().name()).isEqualTo("connect");
    assertThat(telemetry.phases().getLast().name())
        .isEqualTo("round " + 2 * SessionTelemetry.PHASES_KEPT);
  }

  @Test
  void timeBetweenTwoCompletions_isMeasured_fromTheSetUpToTheEnd() throws Exception {
    Scheduler.run(
        _ -> 0,
        1,
        () -> {
          var telemetry = new SessionTelemetry(Role.SOURCE, false);
          telemetry.setStatus(MigrationStatus.SETUP);
          completeAfter(telemetry, EventKind.COMPLETION_SEND_QUEUE, 0);
          completeAfter(telemetry, EventKind.COMPLETION_SEND_QUEUE, 9);
          telemetry.setStatus(MigrationStatus.ACTIVE);
          completeAfter(telemetry, EventKind.COMPLETION_SEND_QUEUE, 9);
          assertThat(gap(telemetry)).isEqualTo("not known");
          completeAfter(telemetry, EventKind.COMPLETION_SEND_QUEUE, 1);
          assertThat(gap(telemetry)).isEqualTo("1.0 s");
          telemetry.setStatus(MigrationStatus.DEVICE);
          completeAfter(telemetry, EventKind.COMPLETION_RECEIVE_QUEUE, 3);
          completeAfter(telemetry, EventKind.COMPLETION_SEND_QUEUE, 2);
          assertThat(gap(telemetry)).isEqualTo("3.0 s");
          telemetry.metrics().set(Metric.TOTAL_TIME, 1);
          completeAfter(telemetry, EventKind.COMPLETION_RECEIVE_QUEUE, 9);
          assertThat(gap(telemetry)).as("of the comparison").isEqualTo("3.0 s");
          return 0;
        });
  }

  /** A destination that has turned one source away. */
  @Test
  void timeBetweenTwoCompletions_isNotThatOfTwoSources() throws Exception {
    Scheduler.run(
        _ -> 0,
        1,
        () -> {
          var telemetry = new SessionTelemetry(Role.DESTINATION, false);
          telemetry.setStatus(MigrationStatus.ACTIVE);
          completeAfter(telemetry, EventKind.COMPLETION_RECEIVE_QUEUE, 1);
          telemetry.setStatus(MigrationStatus.NONE);
          telemetry.setStatus(MigrationStatus.ACTIVE);
          completeAfter(telemetry, EventKind.COMPLETION_RECEIVE_QUEUE, 9);
          assertThat(gap(telemetry)).isEqualTo("not known");
          completeAfter(telemetry, EventKind.COMPLETION_RECEIVE_QUEUE, 0);
          assertThat(gap(telemetry)).as("known, at once").isNotEqualTo("not known");
          return 0;
        });
  }

  private static void completeAfter(SessionTelemetry telemetry, EventKind queue, int seconds)
      throws InterruptedException {
    Time.sleep(Duration.ofSeconds(seconds));
    telemetry.event(queue, 0, 0, 0, 0);
  }

  private static String gap(SessionTelemetry telemetry) {
    return Figure.COMPLETION_GAP.text(
        new Reading(
            telemetry.role(), telemetry.status(), Observation.ENGINE, telemetry.metrics(), 0));
  }
}
