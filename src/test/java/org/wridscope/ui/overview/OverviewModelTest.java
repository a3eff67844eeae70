// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.figures.Estimate;
import org.wridscope.figures.Estimate.Outlook;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.ui.overview.TimeShares.Cause;
import org.wridscope.ui.overview.TimeShares.Share;

final class OverviewModelTest {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;
  private static final long SECOND = 1_000_000_000;

  private final FakeSession source = new FakeSession("s", "rdma:h:1", Role.SOURCE, true);
  private final Metrics metrics = source.telemetry().metrics();
  private final OverviewModel model = new OverviewModel(Session::reading);

  @BeforeEach
  void show() {
    model.show(new SessionPair(source, null));
    source.telemetry().setStatus(MigrationStatus.ACTIVE);
    metrics.set(Metric.RAM_TOTAL, 8 * GIB);
    metrics.set(Metric.RAM_REMAINING, 6 * GIB);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 1);
    metrics.set(Metric.DOWNTIME_LIMIT, 300_000_000);
  }

  private void run(long processedASecond) {
    for (int i = 0; i <= 20; i++) {
      metrics.set(Metric.RAM_PROCESSED, 2 * GIB + processedASecond * i / 10);
      model.sample(i * SECOND / 10);
    }
  }

  private void secondRound(long bandwidth, long dirty, long remaining) {
    metrics.set(Metric.DIRTY_SYNC_COUNT, 2);
    metrics.set(Metric.BANDWIDTH, bandwidth);
    metrics.set(Metric.DIRTY_BYTES_RATE, dirty);
    metrics.set(Metric.RAM_REMAINING, remaining);
  }

  @Test
  void tiles_withoutASession_areQuiet() {
    model.show(null);
    model.sample(1);
    assertThat(model.progressTile().mood()).isEqualTo(Tile.Mood.QUIET);
    assertThat(model.throughputTile().mood()).isEqualTo(Tile.Mood.QUIET);
    assertThat(model.stages()).isEmpty();
    assertThat(model.shares()).isEmpty();
  }

  @Test
  void convergence_ofAHeldSource_saysWhetherItsGuestRuns() {
    source.telemetry().setStatus(MigrationStatus.PRE_SWITCHOVER);
    assertThat(model.convergenceTile())
        .isEqualTo(new Tile("waits for you", "the guest keeps running", Tile.Mood.WARNING));
    source.setGuestRunning(false);
    assertThat(model.convergenceTile())
        .isEqualTo(new Tile("waits for you", "the guest is paused", Tile.Mood.WARNING));
  }

  @Test
  void throughput_steadyCounter_isItsGrowthOverASecond() {
    run(1 * GIB);
    assertThat(model.throughputTile().value()).isEqualTo("1.00 GiB/s");
  }

  @Test
  void inUse_isOfOneMoment_atBothEnds() {
    assertThat(model.inUseTile()).isEqualTo(Tile.quiet("not known"));
    metrics.setInUse(Metric.RAM_IN_USE_BEFORE, 12 * MIB);
    assertThat(model.inUseTile()).isEqualTo(Tile.plain("12.0 MiB", "7.99 GiB never touched"));
    assertThat(model.inUseTitle()).isEqualTo("RAM in use before");
    var destination = new FakeSession("destination 1", "rdma:h:4444", Role.DESTINATION, false);
    model.show(new SessionPair(source, destination));
    metrics.setInUse(Metric.RAM_IN_USE_AFTER, 13 * MIB);
    destination.telemetry().metrics().setInUse(Metric.RAM_IN_USE_BEFORE, 0);
    assertThat(model.inUseTile()).isEqualTo(Tile.plain("12.0 MiB", "0 B at the destination"));
    destination.telemetry().metrics().setInUse(Metric.RAM_IN_USE_AFTER, 14 * MIB);
    assertThat(model.inUseTile()).isEqualTo(Tile.plain("13.0 MiB", "14.0 MiB at the destination"));
    assertThat(model.inUseTitle()).isEqualTo("RAM in use after");
    destination.telemetry().metrics().set(Metric.RAM_TOTAL, 8 * GIB);
    assertThat(model.inUseOfEnds())
        .isEqualTo(
            """
            source: in use 12.0 MiB before, 13.0 MiB after; never touched 7.99 GiB before, 7.99 GiB after
            destination: in use 0 B before, 14.0 MiB after; never touched 8.00 GiB before, 7.99 GiB after\
            """);
  }

  @Test
  void progress_firstRound_isShareOfAll() {
    assertThat(model.progressTile()).isEqualTo(Tile.plain("25 %", "of 8.00 GiB"));
  }

  @Test
  void progress_laterRound_saysWhatWasDirtiedAgain() {
    metrics.set(Metric.DIRTY_SYNC_COUNT, 3);
    metrics.set(Metric.ROUND_BYTES, 210 * MIB);
    metrics.set(Metric.ROUND_PROCESSED, 105 * MIB);
    metrics.set(Metric.RAM_REMAINING, 105 * MIB);
    assertThat(model.progressTile())
        .isEqualTo(Tile.plain("98 %", "round 3: 50 % of 210 MiB dirtied again"));
  }

  @Test
  void estimate_firstRound_namesItsBasis() {
    run(1 * GIB);
    Estimate estimate = model.estimate();
    assertThat(estimate.outlook()).isEqualTo(Outlook.FIRST_ROUND);
    assertThat(estimate.nanos()).isEqualTo(6 * SECOND);
    assertThat(estimate.basis()).contains("1.00 GiB/s");
    assertThat(model.remainingTile().detail()).isEqualTo("≈ 6.0 s to end of round 1");
  }

  @Test
  void estimate_slowWriter_converges() {
    secondRound(1000 * MIB, 500 * MIB, 1300 * MIB);
    Estimate estimate = model.estimate();
    assertThat(estimate.outlook()).isEqualTo(Outlook.CONVERGES);
    // This round, one of 650 MiB and one of 325 MiB; the 162 MiB after them fit the limit.
    assertThat(estimate.nanos()).isEqualTo(2_275 * SECOND / 1000);
    assertThat(estimate.downtimeNanos()).isEqualTo(650 * SECOND / 1000);
    assertThat(estimate.basis()).isEqualTo("newest rounds: 1000 MiB/s sent, 500 MiB/s dirtied");
    assertThat(model.convergenceTile())
        .isEqualTo(Tile.plain("in ≈ 3 rounds", "dirtied: 50 % of sent"));
  }

  @Test
  void estimate_fastWriter_doesNotConvergeAndSaysWhatToDo() {
    secondRound(1000 * MIB, 990 * MIB, 2000 * MIB);
    assertThat(model.estimate().outlook()).isEqualTo(Outlook.DOES_NOT_CONVERGE);
    assertThat(model.convergenceTile().detail()).isEqualTo("needs 2.0 s of downtime");
    assertThat(model.bottleneckTile().value()).isEqualTo("dirty rate");
    assertThat(model.remainingTile().detail()).isEqualTo("no end in sight");
    assertThat(model.dirtyTile().mood()).isEqualTo(Tile.Mood.WARNING);
  }

  @Test
  void estimate_fastWriterUnderALimit_advisesToRaiseIt() {
    metrics.set(Metric.BANDWIDTH_LIMIT, 1024 * MIB);
    secondRound(1000 * MIB, 990 * MIB, 2000 * MIB);
    assertThat(model.convergenceTile().detail()).isEqualTo("raise bandwidth limit");
  }

  @Test
  void estimate_endOfARoundThatCannotConverge_isNotGreen() {
    metrics.set(Metric.ROUND_BYTES, 2000 * MIB);
    secondRound(1000 * MIB, 1100 * MIB, 10 * MIB);
    assertThat(model.estimate().outlook()).isEqualTo(Outlook.DOES_NOT_CONVERGE);
    assertThat(model.convergenceTile().mood()).isEqualTo(Tile.Mood.WARNING);
    assertThat(model.downtimeTile())
        .isEqualTo(Tile.plain("≈ 2.2 s", "limit 300 ms, after this round"));
  }

  @Test
  void estimate_neverGreen_besideADowntimeAboveTheLimit() {
    var random = new SplittableRandom(1);
    for (int i = 0; i < 2000; i++) {
      metrics.set(Metric.ROUND_BYTES, random.nextLong(8 * GIB));
      metrics.set(Metric.DOWNTIME_LIMIT, random.nextLong(3 * SECOND));
      secondRound(
          random.nextLong(1, 2000 * MIB), random.nextLong(2000 * MIB), random.nextLong(8 * GIB));
      boolean fits = model.estimate().downtimeNanos() <= metrics.get(Metric.DOWNTIME_LIMIT);
      assertThat(model.convergenceTile().mood() == Tile.Mood.GOOD).isEqualTo(fits);
    }
  }

  @Test
  void estimate_nextRoundWithinTheLimit_switchesOverNext() {
    metrics.set(Metric.ROUND_BYTES, 400 * MIB);
    secondRound(1000 * MIB, 500 * MIB, 390 * MIB);
    assertThat(model.estimate().outlook()).isEqualTo(Outlook.SWITCH_OVER_NEXT);
    assertThat(model.convergenceTile().mood()).isEqualTo(Tile.Mood.GOOD);
  }

  @Test
  void convergence_atTheEnd_isTheResult() {
    secondRound(1000 * MIB, 990 * MIB, 2000 * MIB);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 7);
    source.end(MigrationStatus.CANCELLED, "The migration was cancelled.");
    assertThat(model.convergenceTile())
        .isEqualTo(new Tile("did not converge", "cancelled after 7 rounds", Tile.Mood.WARNING));
    metrics.set(Metric.DIRTY_BYTES_RATE, 1);
    assertThat(model.convergenceTile()).isEqualTo(Tile.quiet("cancelled after 7 rounds"));
  }

  @Test
  void arrived_failed_isNotAllUnlessItSaysSo() {
    metrics.set(Metric.RAM_REMAINING, 1);
    source.end(MigrationStatus.FAILED, "The connection was lost.");
    assertThat(model.progressTile()).isEqualTo(Tile.plain("99 %", "of 8.00 GiB when it ended"));
    assertThat(model.remainingTile().detail()).isEqualTo("did not arrive");
    metrics.set(Metric.RAM_REMAINING, 0);
    assertThat(model.progressTile()).isEqualTo(Tile.plain("100 %", "all RAM, but failed"));
    assertThat(model.remainingTile().detail()).isEqualTo("all RAM arrived");
  }

  @Test
  void downtime_beforeAndAfter_isExpectedThenMeasured() {
    secondRound(1000 * MIB, 100 * MIB, 380 * MIB);
    assertThat(model.downtimeTile())
        .isEqualTo(Tile.plain("≈ 38 ms", "limit 300 ms, after this round"));
    metrics.set(Metric.DOWNTIME, 41_000_000);
    assertThat(model.downtimeTile()).isEqualTo(new Tile("41 ms", "limit 300 ms", Tile.Mood.GOOD));
    metrics.set(Metric.DOWNTIME, 410_000_000);
    assertThat(model.downtimeTile().mood()).isEqualTo(Tile.Mood.WARNING);
  }

  @Test
  void bottleneck_whileTimeStandsStill_isNotMeasured() {
    model.sample(SECOND);
    metrics.set(Metric.SCAN_TIME, SECOND / 10);
    model.sample(SECOND);
    assertThat(model.bottleneckTile()).isEqualTo(Tile.quiet("nothing measured yet"));
    assertThat(model.shares()).isEmpty();
  }

  @Test
  void bottleneck_mostOfTheTime_isNamed() {
    for (int i = 0; i <= 20; i++) {
      metrics.set(Metric.WAIT_SEND_QUEUE_TIME, i * SECOND / 10 * 6 / 10);
      metrics.set(Metric.SCAN_TIME, i * SECOND / 10 * 3 / 10);
      model.sample(i * SECOND / 10);
    }
    assertThat(model.bottleneckTile()).isEqualTo(Tile.plain("link", "60 % of the engine's time"));
    assertThat(model.shares())
        .extracting(Share::cause)
        .containsExactly(Cause.SEND_QUEUE, Cause.ZERO_SCAN, Cause.ENGINE);
  }

  @Test
  void tiles_ofACompletedMigration_haveTheTotals() {
    metrics.set(Metric.TOTAL_TIME, 3 * SECOND);
    metrics.set(Metric.SETUP_TIME, SECOND);
    metrics.set(Metric.RAM_PROCESSED, 8 * GIB);
    metrics.set(Metric.RAM_TRANSFERRED, 2_000_000_000);
    metrics.set(Metric.DIRTY_SYNC_COUNT, 3);
    source.end(MigrationStatus.COMPLETED, "done");
    model.sample(SECOND);
    assertThat(model.progressTile())
        .isEqualTo(new Tile("100 %", "8.00 GiB in 3.0 s", Tile.Mood.GOOD));
    assertThat(model.throughputTile())
        .isEqualTo(Tile.plain("4.00 GiB/s", "on average; 8.00 Gbit/s on the wire"));
    assertThat(model.convergenceTile())
        .isEqualTo(new Tile("Converged", "in 3 rounds", Tile.Mood.GOOD));
  }

  @Test
  void tiles_ofADestinationAlone_referToTheSource() {
    var destination = new FakeSession("d", "rdma:h:1", Role.DESTINATION, true);
    destination.telemetry().metrics().set(Metric.RAM_TOTAL, GIB);
    model.show(new SessionPair(null, destination));
    assertThat(model.progressTile().detail()).contains("registered or zero");
    assertThat(model.dirtyTile().mood()).isEqualTo(Tile.Mood.QUIET);
    assertThat(model.remainingTile().mood()).isEqualTo(Tile.Mood.QUIET);
    assertThat(model.convergenceTile().mood()).isEqualTo(Tile.Mood.QUIET);
  }
}
