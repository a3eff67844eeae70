// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PhaseTest {
  @ParameterizedTest
  @EnumSource
  void named_isTheOneWithTheName(Phase.Kind kind) {
    var phase = new Phase(kind, kind == Phase.Kind.ROUND ? 17 : 0, 5);
    assertThat(Phase.named(phase.name(), 5)).isEqualTo(phase);
  }

  /** As a newer version, or somebody else, may write it. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "round", "round 0", "round -1", "round 9999999999999999999", "Listen"})
  void named_withAnotherName_isUnknown(String name) {
    assertThat(Phase.named(name, 5)).isEqualTo(new Phase(Phase.Kind.UNKNOWN, 5));
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
