// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.telemetry.MigrationStatus;

/** Whole migrations that succeed. */
class MigrationTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest(name = "pin-all {0}, extensions {1}, zero share {2}")
  @CsvSource({
    "false, true, 0", "false, true, 0.5", "false, true, 1",
    "true, true, 0", "true, true, 0.5", "true, true, 1",
    "false, false, 0", "false, false, 0.5", "false, false, 1",
    "true, false, 0", "true, false, 0.5", "true, false, 1"
  })
  void ramAndStateAreEqual_afterMigration(boolean pinAll, boolean extensions, double zeroShare)
      throws Exception {
    long[] lengths = {8 * MIB + 4096, 4096, MIB, 3 * MIB - 4096};
    try (var rig = new Rig();
        var guest = BlockGuest.of(lengths).fill(1, zeroShare);
        var copy = BlockGuest.of(lengths)) {
      guest.resume();
      var source = rig.source(guest, Rig.parameters(pinAll, true));
      var destination = rig.destination(copy, Rig.parameters(false, extensions));

      Rig.run(source, destination);

      assertThat(source.outcome()).contains("The guest");
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(destination.telemetry().status())
          .as(destination.outcome())
          .isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.equalRam(guest)).isTrue();
      assertThat(copy.isRunning()).isTrue();
      assertThat(guest.isRunning()).isFalse();
      assertThat(source.verified()).isEqualTo(extensions);
      assertThat(destination.verified()).isEqualTo(extensions);
      assertThat(source.pinAll()).isEqualTo(pinAll);
    }
  }
}
