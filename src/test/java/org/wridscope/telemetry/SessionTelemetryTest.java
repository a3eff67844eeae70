// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

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
            "GUEST_OPERATED " + OperatorAct.PAUSED.ordinal(),
            "ROUND_BEGIN 1",
            "GUEST_OPERATED " + OperatorAct.CONTINUED.ordinal(),
            "ROUND_END 1",
            "GUEST_OPERATED " + OperatorAct.TO_ARRIVE_PAUSED.ordinal(),
            "STATUS " + MigrationStatus.COMPLETED.ordinal());
    assertThat(events).extracting(Event::nanos).isSorted();
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
}
