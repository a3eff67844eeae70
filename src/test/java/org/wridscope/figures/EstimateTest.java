// SPDX-License-Identifier: Apache-2.0
package org.wridscope.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.figures.Estimate.Outlook;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.RoundRates;

/** What is said of the next rounds of a source, after each round of it. */
final class EstimateTest {
  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000_000L;

  /** The bandwidth of all rounds here, in bytes per second. */
  private static final long BANDWIDTH = 1000 * MIB;

  private final Metrics metrics = new Metrics();
  private final RoundRates rates = new RoundRates();
  private final List<Outlook> outlooks = new ArrayList<>();
  private long size = 8000 * MIB;

  /** Sends a round, after which the guest has dirtied so much, and notes what is expected then. */
  private void round(long dirtied) {
    long nanos = size * SECOND / BANDWIDTH;
    rates.sent(size, nanos, 0);
    rates.dirtied(dirtied, nanos);
    size = dirtied;
    metrics.set(Metric.RAM_TOTAL, 8000 * MIB);
    metrics.set(Metric.DOWNTIME_LIMIT, SECOND / 100);
    metrics.add(Metric.DIRTY_SYNC_COUNT, metrics.get(Metric.DIRTY_SYNC_COUNT) == 0 ? 2 : 1);
    metrics.set(Metric.ROUND_BYTES, size);
    metrics.set(Metric.RAM_REMAINING, size);
    metrics.set(Metric.BANDWIDTH, rates.bandwidth());
    metrics.set(Metric.DIRTY_BYTES_RATE, rates.dirtyRate());
    var reading =
        new Reading(Role.SOURCE, MigrationStatus.ACTIVE, Observation.ENGINE, metrics, SECOND);
    outlooks.add(Estimate.of(reading, 0).outlook());
  }

  @Test
  void burstsThatAreSentAgainAndAgain_areNoProgress_afterAnyRound() {
    for (int i = 0; i < 20; i++) {
      round((i % 2 == 0 ? 500 : 100) * MIB);
    }
    assertThat(outlooks.subList(2, 20)).containsOnly(Outlook.DOES_NOT_CONVERGE);
  }

  @Test
  void burstsOfThreeRounds_areNoProgress_afterSome() {
    for (int i = 0; i < 40; i++) {
      round((i % 3 == 0 ? 600 : 100) * MIB);
    }
    assertThat(outlooks.subList(12, 40)).containsOnly(Outlook.DOES_NOT_CONVERGE);
  }

  @Test
  void burstsThatGetSmaller_areNoStall_afterAnyRound() {
    for (int i = 0; i < 10; i++) {
      long most = (4000 * MIB) >> i;
      round(i % 2 == 0 ? most : most / 4);
    }
    assertThat(outlooks).doesNotContain(Outlook.DOES_NOT_CONVERGE);
  }

  @Test
  void aGuestThatWritesNoMore_isSeenSoon() {
    for (int i = 0; i < 10; i++) {
      round(500 * MIB);
    }
    assertThat(outlooks.getLast()).isEqualTo(Outlook.DOES_NOT_CONVERGE);
    round(100 * MIB);
    round(20 * MIB);
    assertThat(outlooks.getLast()).isNotEqualTo(Outlook.DOES_NOT_CONVERGE);
  }

  @Test
  void theFirstRound_inWhichTheSameRamIsDirtiedAgain_countsUntilTheSecond() {
    round(800 * MIB);
    assertThat(rates.dirtyRate()).isEqualTo(100 * MIB);
    round(800 * MIB);
    assertThat(rates.dirtyRate()).isEqualTo(1000 * MIB);
    assertThat(outlooks).containsExactly(Outlook.CONVERGES, Outlook.DOES_NOT_CONVERGE);
  }

  @Test
  void anotherLimit_beginsAnew() {
    rates.sent(1000 * MIB, SECOND, 0);
    rates.sent(1000 * MIB, 3 * SECOND, 0);
    assertThat(rates.bandwidth()).as("by their times").isEqualTo(500 * MIB);
    rates.sent(64 * MIB, SECOND, 64 * MIB);
    assertThat(rates.bandwidth()).isEqualTo(64 * MIB);
  }

  @Test
  void aLinkThatBecomesSlower_countsAtOnceForTheSwitchOver_andAFasterOneLater() {
    for (int i = 0; i < 12; i++) {
      rates.sent(1000 * MIB, SECOND, 0);
    }
    rates.sent(100 * MIB, SECOND, 0);
    assertThat(rates.surestBandwidth()).isEqualTo(100 * MIB);
    assertThat(rates.bandwidth()).isEqualTo(925 * MIB);
    rates.sent(2000 * MIB, SECOND, 0);
    assertThat(rates.surestBandwidth()).isEqualTo(rates.bandwidth()).isLessThan(1010 * MIB);
  }

  @Test
  void beforeAnything_nothingIsKnown() {
    assertThat(rates.bandwidth()).isZero();
    assertThat(rates.surestBandwidth()).isZero();
    assertThat(rates.dirtyRate()).isZero();
  }
}
