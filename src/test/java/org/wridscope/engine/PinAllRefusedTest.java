// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/** A destination that does not grant pin-all, and sources that request it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PinAllRefusedTest {
  private static final long MIB = 1 << 20;

  private static MigrationParameters refusing() {
    return new MigrationParameters(
        Settings.USUAL
            .with(MigrationSetting.REFUSE_PIN_ALL, true)
            .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofDays(1)));
  }

  @Test
  void ourSource_registersChunkByChunk_andSaysSo() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(100 * MIB).boot(1, 0);
        var copy = BlockGuest.of(100 * MIB)) {
      var source = rig.source(guest, Rig.parameters(true, true));
      var destination = rig.destination(copy, refusing());

      rig.run(source, destination);

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(source.outcome())
          .endsWith("The destination does not pin all RAM, so RAM was registered in chunks.");
      assertThat(copy.hasEqualRam(guest)).isTrue();
      assertThat(source.verified()).isTrue();
      for (MigrationSession end : new MigrationSession[] {source, destination}) {
        assertThat(end.pinAll()).isFalse();
        // Runs of chunks, not the whole block.
        assertThat(end.telemetry().metrics().get(Metric.REGISTRATIONS_TOTAL)).isEqualTo(2);
        assertThat(end.telemetry().metrics().get(Metric.REGISTRATION_ROUND_TRIPS)).isPositive();
      }
    }
  }

  @Test
  void aSourceThatDoesNotAsk_hearsNothingOfIt() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(MIB).boot(1, 0);
        var copy = BlockGuest.of(MIB)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      rig.run(source, rig.destination(copy, refusing()));
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(source.outcome()).doesNotContain("pin");
    }
  }

  /** QEMU 7.2 would abort if it were accepted without pin-all, and lose its guest. */
  @Test
  void qemu_isTurnedAwayWithTheReason_andTheNextSourceIsTaken() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(MIB).boot(1, 0);
        var copy = BlockGuest.of(MIB)) {
      var destination = rig.destination(copy, refusing());
      Thread there = rig.start(destination);
      var pinning = rig.source(guest, Rig.parameters(true, false));
      Rig.join(rig.start(pinning), pinning);
      assertThat(pinning.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(pinning.outcome())
          .contains("This destination does not pin all RAM; switch rdma-pin-all off.")
          .endsWith("The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.NONE);

      var dynamic = rig.source(guest, Rig.parameters(false, false));
      Rig.join(rig.start(dynamic), dynamic);
      Rig.join(there, destination);
      assertThat(dynamic.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(copy.hasEqualRam(guest)).isTrue();
    }
  }
}
