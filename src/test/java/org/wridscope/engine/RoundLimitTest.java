// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.memory.RamBlock;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionOutcome.Origin;

/** A source that gives up after a number of rounds. */
@ExtendWith(UnderSchedule.class)
final class RoundLimitTest {
  private static final long RAM = 4 << 20;

  private static MigrationParameters parameters(long rounds, boolean held) {
    return new MigrationParameters(
        Settings.USUAL
            .with(MigrationSetting.ROUND_LIMIT, rounds)
            .with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, held)
            .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
            .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofNanos(1)));
  }

  private static void dirty(BlockGuest guest, int sync) {
    for (int page = 0; page < 100; page++) {
      guest.write(0, page * (long) RamBlock.PAGE_SIZE, (byte) sync);
    }
  }

  @Test
  void givesUp_afterThatManyRounds_andTheGuestKeepsRunning() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(RAM).boot(1, 0.2);
        var copy = BlockGuest.of(RAM)) {
      guest.onSync(sync -> dirty(guest, sync));
      var source = rig.source(guest, parameters(3, false));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .startsWith("The migration did not converge within 3 rounds: the downtime would be ")
          .endsWith(
              ", and its limit is 1 ns. Allow more rounds, a longer downtime or more bandwidth, or"
                  + " let the guest write less. The guest keeps running at the source.");
      assertThat(Objects.requireNonNull(source.result()).origin()).isEqualTo(Origin.LIMIT);
      assertThat(destination.outcome())
          .startsWith("The source gave up: The migration did not converge within 3 rounds")
          .endsWith("The guest was not started here.");
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(3);
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.resumes()).as("it was never stopped").isEqualTo(1);
      assertThat(copy.isRunning()).isFalse();
    }
  }

  /** Dirty after rounds 1 and 2, so that the rest fits after the third. */
  @Test
  void completes_ifTheRestFitsAfterTheLastRound() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(RAM).boot(1, 0.2);
        var copy = BlockGuest.of(RAM)) {
      guest.onSync(sync -> {
        if (sync <= 2) {
          dirty(guest, sync);
        }
      });
      var source = rig.source(guest, parameters(3, false));

      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT) - 1).isEqualTo(3);
    }
  }

  /** After the first round nothing is dirty; the second, third and fourth are those of the wait. */
  @Test
  void roundsInWhichItWaitsForPermission_doNotCount() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(RAM).boot(1, 0.2);
        var copy = BlockGuest.of(RAM)) {
      var source = rig.source(guest, parameters(2, true));
      guest.onSync(sync -> {
        if (sync > 1 && sync <= 4) {
          dirty(guest, sync);
        }
        if (sync == 5) {
          source.permitSwitchover();
        }
      });

      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isGreaterThan(5);
    }
  }
}
