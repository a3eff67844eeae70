// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.SyntheticGuest;
import org.wridscope.guest.SyntheticGuestConfig;
import org.wridscope.memory.RamBlock;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/** The end of pre-copy, and the bandwidth limit. */
@Slow("guests that write faster than the link, in real time")
class ConvergenceTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;

  @Test
  void switchesOverAfterOneRound_whenTheRestFitsTheDowntimeLimit() throws Exception {
    assertThat(rounds(Duration.ofDays(1), Integer.MAX_VALUE)).isEqualTo(1);
  }

  @Test
  void goesOnUntilTheGuestIsQuiet_whenNothingFitsTheDowntimeLimit() throws Exception {
    // Dirty after rounds 1 to 6, so that the seventh has work and the guest is clean after it.
    assertThat(rounds(Duration.ofNanos(1), 6)).isEqualTo(7);
  }

  /**
   * @param dirtySyncs number of syncs before which the guest has written to its RAM
   */
  private static long rounds(Duration downtimeLimit, int dirtySyncs) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(4 * MIB).boot(1, 0.2);
        var copy = BlockGuest.of(4 * MIB)) {
      guest.onSync(sync -> dirty(guest, sync, sync <= dirtySyncs ? 100 : 0));
      var source = rig.source(guest, Rig.parameters(false, true, downtimeLimit));
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(copy.hasEqualRam(guest)).isTrue();
      // The switch-over is a sync, too.
      return source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT) - 1;
    }
  }

  private static void dirty(BlockGuest guest, int sync, int pages) {
    for (int page = 0; page < pages; page++) {
      guest.write(0, page * PAGE, (byte) sync);
    }
  }

  @Test
  void downtimeLimitTakesEffect_whileItRuns() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(4 * MIB).boot(1, 0.2);
        var copy = BlockGuest.of(4 * MIB)) {
      MigrationParameters parameters = Rig.parameters(false, true, Duration.ofNanos(1));
      guest.onSync(sync -> {
        dirty(guest, sync, 100);
        if (sync == 5) {
          parameters.setDowntimeLimit(Duration.ofDays(1));
        }
      });
      var source = rig.source(guest, parameters);
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(6);
    }
  }

  @Test
  void endsByItsTimeout_whenTheGuestNeverComesToRest() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(4 * MIB).boot(1, 0.2);
        var copy = BlockGuest.of(4 * MIB)) {
      guest.onSync(sync -> dirty(guest, sync, 100));
      var parameters =
          new MigrationParameters(
              Settings.USUAL
                  .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(1))
                  .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofNanos(1)));
      var source = rig.source(guest, parameters);
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      String why =
          "The migration did not complete within 1.0 s. Allow more time, a longer downtime"
              + " or more bandwidth, or let the guest write less.";
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).isEqualTo(why + " The guest keeps running at the source.");
      assertThat(destination.outcome())
          .isEqualTo("The source gave up: " + why + " The guest was not started here.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.resumes()).as("it was never stopped").isEqualTo(1);
      assertThat(copy.isRunning()).isFalse();
      assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isGreaterThan(1);
    }
  }

  @Test
  void bandwidthLimitHolds_dynamicAndPinned() throws Exception {
    for (boolean pinAll : new boolean[] {false, true}) {
      long ram = 24 * MIB;
      long limit = 48 * MIB;
      try (var rig = new Rig();
          var guest = BlockGuest.of(ram).boot(1, 0);
          var copy = BlockGuest.of(ram)) {
        var parameters =
            new MigrationParameters(
                Settings.USUAL
                    .with(MigrationSetting.PIN_ALL, pinAll)
                    .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                    .with(MigrationSetting.BANDWIDTH, limit)
                    .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(1)));
        var source = rig.source(guest, parameters);
        rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

        var metrics = source.telemetry().metrics();
        assertThat(source.verified()).as(source.outcome()).isTrue();
        assertThat(metrics.get(Metric.NORMAL_PAGES)).isEqualTo(ram / PAGE);
        // It may take longer, but not less; a chunk and 10 ms may be sent ahead of time.
        double seconds = metrics.get(Metric.TOTAL_TIME) * 1e-9;
        assertThat(seconds).isGreaterThan((ram - 2 * MIB) / (double) limit - 0.02);
        assertThat(metrics.get(Metric.WAIT_BANDWIDTH_TIME)).isPositive();
        assertThat(metrics.get(Metric.BANDWIDTH)).isLessThan((long) (limit * 1.2));
      }
    }
  }

  @Test
  void bandwidthLimitTakesEffect_whileItRuns() throws Exception {
    long ram = 16 * MIB;
    try (var rig = new Rig();
        var guest = BlockGuest.of(ram).boot(1, 0);
        var copy = BlockGuest.of(ram)) {
      // At this rate it would take longer than the timeout.
      var parameters =
          new MigrationParameters(
              Settings.USUAL
                  .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                  .with(MigrationSetting.BANDWIDTH, 64L << 10));
      var source = rig.source(guest, parameters);
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      awaitWrites(source, 1);
      parameters.setBandwidthLimit(0);
      Rig.join(here, source);
      Rig.join(there, destination);
      assertThat(source.verified()).as(source.outcome()).isTrue();
    }
  }

  private static void awaitWrites(SourceSession source, long writes) throws InterruptedException {
    Rig.await(
        () -> source.telemetry().metrics().get(Metric.WRITES_COMPLETED) >= writes,
        () -> String.valueOf(source.outcome()));
  }

  @Test
  void busyGuestIsConsistent_afterItMoved() throws Exception {
    for (boolean pinAll : new boolean[] {false, true}) {
      var config = SyntheticGuestConfig.of(64 * MIB, 64 * MIB, 16 * MIB, 0.4, 7);
      try (var rig = new Rig();
          var guest = SyntheticGuest.boot(config);
          var copy = SyntheticGuest.incoming(config)) {
        // Slow enough for the guest to dirty pages in each round.
        var parameters =
            new MigrationParameters(
                Settings.USUAL
                    .with(MigrationSetting.PIN_ALL, pinAll)
                    .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(45))
                    .with(MigrationSetting.BANDWIDTH, 192L * MIB)
                    .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(20)));
        var source = rig.source(guest, parameters);
        var destination = rig.destination(copy, Rig.parameters(false, true));

        rig.run(source, destination);

        assertThat(source.verified())
            .as("%s, %s", source.outcome(), destination.outcome())
            .isTrue();
        assertThat(guest.isRunning()).isFalse();
        assertThat(guest.checkConsistency()).isEmpty();
        assertThat(source.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT))
            .isGreaterThanOrEqualTo(2);
        assertThat(copy.isRunning()).isTrue();
        awaitProgress(copy, guest.devices().getFirst().save());
      }
    }
  }

  @Test
  void busyGuestIsConsistent_afterItCouldNotMove() throws Exception {
    var config = SyntheticGuestConfig.of(64 * MIB, 64 * MIB, 16 * MIB, 0.4, 8);
    try (var rig = new Rig();
        var guest = SyntheticGuest.boot(config);
        var other = BlockGuest.of(MIB)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      rig.run(source, rig.destination(other, Rig.parameters(false, true)));
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(guest.isRunning()).isTrue();
      awaitProgress(guest, state(guest));
    }
  }

  /** Waits until the guest has changed its state, and checks its consistency. */
  private static void awaitProgress(SyntheticGuest guest, byte[] before) throws GuestException {
    long end = System.nanoTime() + Rig.END.toNanos();
    while (Arrays.equals(state(guest), before)) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private static byte[] state(SyntheticGuest guest) throws GuestException {
    guest.pause();
    byte[] state = guest.devices().getFirst().save();
    assertThat(guest.checkConsistency()).isEmpty();
    guest.resume();
    return state;
  }
}
