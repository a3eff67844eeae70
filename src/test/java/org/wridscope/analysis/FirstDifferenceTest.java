// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.protocol.WorkRequestId.CONTROL_RECEIVE;
import static org.wridscope.protocol.WorkRequestId.CONTROL_SEND;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

final class FirstDifferenceTest {
  private final SessionTelemetry one = new SessionTelemetry(Role.DESTINATION, true);
  private final SessionTelemetry other = new SessionTelemetry(Role.DESTINATION, true);

  private static void add(SessionTelemetry to, long nanos, EventKind kind, int detail, long wrid) {
    to.log().add(nanos, kind, detail, 0, wrid, 0);
  }

  private static void say(SessionTelemetry of, long nanos, ControlType type) {
    add(of, nanos, EventKind.POST_SEND, type.value(), CONTROL_SEND);
    add(of, nanos + 1, EventKind.CONTROL_SENT, type.value(), CONTROL_SEND);
  }

  private FirstDifference difference() {
    return Objects.requireNonNull(FirstDifference.between(one, other), "no difference");
  }

  @Test
  void theSameOrderAtOtherTimes_isNoDifference() {
    say(one, 10, ControlType.READY);
    add(one, 20, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    say(other, 1_000, ControlType.READY);
    add(other, 90_000, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    assertThat(FirstDifference.between(one, other)).isNull();
  }

  @Test
  void completionsInAnotherOrder_areFound_afterWhatWasTheSame() {
    for (SessionTelemetry each : new SessionTelemetry[] {one, other}) {
      add(each, 1, EventKind.POST_RECEIVE, 0, CONTROL_RECEIVE);
      say(each, 10, ControlType.READY);
    }
    add(one, 20, EventKind.COMPLETION_RECEIVE_QUEUE, 0, CONTROL_RECEIVE);
    add(one, 21, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    add(other, 30, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    add(other, 31, EventKind.COMPLETION_RECEIVE_QUEUE, 0, CONTROL_RECEIVE);
    FirstDifference found = difference();
    assertThat(found.same()).isEqualTo(1);
    assertThat(found.lastSame()).extracting(Event::kind).isEqualTo(EventKind.POST_SEND);
    assertThat(found.one()).extracting(Event::nanos).isEqualTo(20L);
    assertThat(found.other()).extracting(Event::nanos).isEqualTo(30L);
  }

  @Test
  void theEndOfOne_isADifference() {
    say(one, 10, ControlType.READY);
    say(other, 10, ControlType.READY);
    say(other, 20, ControlType.ERROR);
    assertThat(difference().one()).isNull();
    assertThat(difference().other()).extracting(Event::nanos).isEqualTo(20L);
  }

  /** They come by the clock. */
  @Test
  void heartbeats_areLeftOut_withTheirCompletions() {
    add(other, 1, EventKind.POST_RECEIVE, 0, CONTROL_RECEIVE);
    say(one, 10, ControlType.READY);
    say(other, 10, ControlType.READY);
    add(one, 20, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    add(other, 20, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    say(other, 30, ControlType.HEARTBEAT);
    add(other, 32, EventKind.COMPLETION_SEND_QUEUE, 0, CONTROL_SEND);
    add(other, 40, EventKind.COMPLETION_RECEIVE_QUEUE, 0, CONTROL_RECEIVE);
    add(other, 41, EventKind.CONTROL_RECEIVED, ControlType.HEARTBEAT.value(), CONTROL_RECEIVE);
    assertThat(FirstDifference.between(one, other)).isNull();
  }
}
