// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PhaseTest {
  @Test
  void name_ofARound_hasItsNumber() {
    assertThat(new Phase(Phase.Kind.ROUND, 17, 5).name()).isEqualTo("round 17");
    assertThat(new Phase(Phase.Kind.SET_UP, 5).name()).isEqualTo("set-up");
  }

  @Test
  void everyEndOfASession_hasAPhase() {
    for (MigrationStatus status : MigrationStatus.ends()) {
      var phase = new Phase(Phase.Kind.of(status), 5);
      assertThat(phase.name()).isEqualTo(status.qemuName());
      assertThat(phase.isEnd()).isTrue();
    }
  }
}
