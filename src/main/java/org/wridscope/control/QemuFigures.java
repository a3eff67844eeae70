// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.wridscope.memory.RamBlock;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.RoundRates;
import org.wridscope.telemetry.SessionTelemetry;

/**
 * Enters what the source of a migration says in {@code query-migrate} into the telemetry of its
 * session. What QEMU does not tell, the size and the bandwidth of a round, is measured between the
 * answers. Not thread-safe.
 */
public final class QemuFigures {
  /** What it enters. */
  public static final Set<Metric> METRICS =
      Collections.unmodifiableSet(
          EnumSet.of(
              Metric.SETUP_TIME,
              Metric.EXPECTED_DOWNTIME,
              Metric.DOWNTIME,
              Metric.RAM_TOTAL,
              Metric.RAM_REMAINING,
              Metric.RAM_TRANSFERRED,
              Metric.RAM_PROCESSED,
              Metric.NORMAL_PAGES,
              Metric.DUPLICATE_PAGES,
              Metric.DIRTY_SYNC_COUNT,
              Metric.DIRTY_BYTES_RATE,
              Metric.BANDWIDTH,
              Metric.ROUND_BYTES,
              Metric.ROUND_PROCESSED));

  private final SessionTelemetry telemetry;
  private final Metrics metrics;
  private final RoundRates rates = new RoundRates();
  private long round;
  private long roundBegan;
  private long processedBefore;

  public QemuFigures(SessionTelemetry telemetry) {
    this.telemetry = telemetry;
    metrics = telemetry.metrics();
  }

  /**
   * Notes an answer.
   *
   * @param rounds whether a further synchronization of the dirty log begins a round; the last one
   *     belongs to the switch-over
   * @param nowNanos when the answer arrived
   */
  public void note(MigrationInfo info, boolean rounds, long nowNanos) {
    set(Metric.SETUP_TIME, info.setupTime());
    set(Metric.EXPECTED_DOWNTIME, info.expectedDowntime());
    set(Metric.DOWNTIME, info.downtime());
    info.ram().ifPresent(ram -> note(ram, rounds, nowNanos));
  }

  private void note(MigrationInfo.Ram ram, boolean rounds, long nowNanos) {
    long page = ram.pageSize() > 0 ? ram.pageSize() : RamBlock.PAGE_SIZE;
    long processed = (ram.normal() + ram.duplicate()) * page;
    metrics.set(Metric.RAM_TOTAL, ram.total());
    metrics.set(Metric.RAM_REMAINING, ram.remaining());
    metrics.set(Metric.RAM_TRANSFERRED, ram.transferred());
    metrics.set(Metric.RAM_PROCESSED, processed);
    metrics.set(Metric.NORMAL_PAGES, ram.normal() * page / RamBlock.PAGE_SIZE);
    metrics.set(Metric.DUPLICATE_PAGES, ram.duplicate() * page / RamBlock.PAGE_SIZE);
    metrics.set(Metric.DIRTY_SYNC_COUNT, ram.dirtySyncCount());
    metrics.set(Metric.DIRTY_BYTES_RATE, ram.dirtyPagesRate() * page);
    if (ram.dirtySyncCount() > round) {
      synced(ram, processed, nowNanos);
      if (rounds) {
        telemetry.beginRound(round);
      }
    }
    metrics.set(
        Metric.ROUND_PROCESSED,
        Math.clamp(
            metrics.get(Metric.ROUND_BYTES) - ram.remaining(), 0, metrics.get(Metric.ROUND_BYTES)));
  }

  private void synced(MigrationInfo.Ram ram, long processed, long nowNanos) {
    long elapsed = nowNanos - roundBegan;
    if (round > 0 && elapsed > 0) {
      rates.sent(processed - processedBefore, elapsed, metrics.get(Metric.BANDWIDTH_LIMIT));
      metrics.set(Metric.BANDWIDTH, rates.bandwidth());
    }
    round = ram.dirtySyncCount();
    roundBegan = nowNanos;
    processedBefore = processed;
    metrics.set(Metric.ROUND_BYTES, ram.remaining());
  }

  private void set(Metric metric, Optional<Duration> time) {
    metrics.set(metric, time.orElse(Duration.ZERO).toNanos());
  }
}
