// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SessionTelemetryTest {
  /** Times are counted from the first phase. */
  @Test
  void phases_whenThereAreTooMany_areTheFirstAndTheNewest() {
    var telemetry = new SessionTelemetry(Role.SOURCE, false);
    telemetry.beginPhase("connect");
    for (int round = 1; round <= 2 * SessionTelemetry.PHASES_KEPT; round++) {
      telemetry.beginPhase("round " + round);
    }
    assertThat(telemetry.phases()).hasSize(SessionTelemetry.PHASES_KEPT);
    assertThat(telemetry.phases().getFirst().name()).isEqualTo("connect");
    assertThat(telemetry.phases().getLast().name())
        .isEqualTo("round " + 2 * SessionTelemetry.PHASES_KEPT);
  }
}
