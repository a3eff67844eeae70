// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.telemetry.MigrationStatus;

final class PracticeTest {
  @Test
  void guest_reachesTheDestination() throws Exception {
    assertThat(Practice.migrate()).isEqualTo(MigrationStatus.COMPLETED);
  }

  @Test
  void nobodySeesIt() {
    try (var sessions = new LocalSessions()) {
      sessions.expectMigration();
      assertThat(sessions.sessions()).isEmpty();
    }
  }
}
