// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;

final class FailedCompletionsTest {
  private final SessionTelemetry telemetry = new SessionTelemetry(Role.SOURCE, true);
  private final FailedCompletions failures =
      new FailedCompletions(Set.of(EventKind.COMPLETION_SEND_QUEUE));

  private void log() {
    try (var sampler = new Sampler()) {
      sampler.add(telemetry);
      sampler.remove(telemetry);
    }
  }

  private void complete(EventKind kind, int status) {
    telemetry.event(kind, status, 0, 1, 0);
    if (status != 0) {
      telemetry.metrics().increment(Metric.FAILED_COMPLETIONS);
    }
  }

  @Test
  void update_afterFailures_findsThoseOfItsQueue() {
    long before = System.nanoTime();
    complete(EventKind.COMPLETION_SEND_QUEUE, 0);
    complete(EventKind.COMPLETION_SEND_QUEUE, 10);
    complete(EventKind.COMPLETION_RECEIVE_QUEUE, 5);
    complete(EventKind.COMPLETION_SEND_QUEUE, 5);
    log();
    assertThat(failures.update(telemetry, 1)).isTrue();
    assertThat(failures.size()).isEqualTo(2);
    assertThat(failures.at(0)).isBetween(before, System.nanoTime());
    assertThat(failures.update(telemetry, 2)).isFalse();
    assertThat(failures.size()).isEqualTo(2);
  }

  @Test
  void update_beforeTheLogHasCaughtUp_findsThemLater() {
    complete(EventKind.COMPLETION_SEND_QUEUE, 5);
    assertThat(failures.update(telemetry, 1)).isFalse();
    log();
    assertThat(failures.update(telemetry, 2)).isTrue();
    assertThat(failures.size()).isEqualTo(1);
  }

  @Test
  void update_withoutFailures_doesNotReadTheLog() {
    complete(EventKind.COMPLETION_SEND_QUEUE, 0);
    log();
    assertThat(failures.update(telemetry, 1)).isFalse();
    assertThat(failures.size()).isZero();
  }

  @Test
  void update_afterGoingBackInTime_forgetsWhatHasNotHappened() {
    complete(EventKind.COMPLETION_SEND_QUEUE, 5);
    log();
    assertThat(failures.update(telemetry, 1)).isTrue();
    var before = new SessionTelemetry(Role.SOURCE, true);
    assertThat(failures.update(before, 2)).isTrue();
    assertThat(failures.size()).isZero();
    assertThat(failures.update(telemetry, 3)).isTrue();
    assertThat(failures.size()).isEqualTo(1);
  }

  @Test
  void clear_beforeAnotherSession_forgetsAll() {
    complete(EventKind.COMPLETION_SEND_QUEUE, 5);
    log();
    assertThat(failures.update(telemetry, 1)).isTrue();
    failures.clear();
    assertThat(failures.size()).isZero();
    assertThat(failures.update(telemetry, 2)).isTrue();
  }
}
