// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.wridscope.qmp.MigrationInfo;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

final class QemuFiguresTest {
  private static final long SECOND = 1_000_000_000;
  private static final long PAGE = 4096;

  private final SessionTelemetry telemetry = new SessionTelemetry(Role.SOURCE, false);
  private final QemuFigures figures = new QemuFigures(telemetry);

  private long get(Metric metric) {
    return telemetry.metrics().get(metric);
  }

  private static MigrationInfo info(long round, long remainingPages, long normal, long pageSize) {
    return new MigrationInfo(
        "active",
        Optional.of(Duration.ofSeconds(1)),
        Optional.empty(),
        Optional.of(Duration.ofMillis(250)),
        Optional.of(Duration.ofMillis(7)),
        Optional.of(
            new MigrationInfo.Ram(
                normal * pageSize + 9,
                remainingPages * pageSize,
                1000 * pageSize,
                80.5,
                12,
                round,
                pageSize,
                30,
                normal)),
        Optional.empty());
  }

  @Test
  void answer_becomesMetrics() {
    figures.note(info(1, 500, 470, PAGE), true, SECOND);
    assertThat(get(Metric.RAM_TOTAL)).isEqualTo(1000 * PAGE);
    assertThat(get(Metric.RAM_REMAINING)).isEqualTo(500 * PAGE);
    assertThat(get(Metric.RAM_TRANSFERRED)).isEqualTo(470 * PAGE + 9);
    assertThat(get(Metric.RAM_PROCESSED)).isEqualTo(500 * PAGE);
    assertThat(get(Metric.NORMAL_PAGES)).isEqualTo(470);
    assertThat(get(Metric.DUPLICATE_PAGES)).isEqualTo(30);
    assertThat(get(Metric.DIRTY_BYTES_RATE)).isEqualTo(12 * PAGE);
    assertThat(get(Metric.SETUP_TIME)).isEqualTo(7_000_000);
    assertThat(get(Metric.EXPECTED_DOWNTIME)).isEqualTo(250_000_000);
    assertThat(get(Metric.DOWNTIME)).isZero();
    assertThat(get(Metric.TOTAL_TIME)).as("known at the end only").isZero();
  }

  @Test
  void largerPages_areCountedInPagesOf4096() {
    figures.note(info(1, 500, 470, 16 * PAGE), true, SECOND);
    assertThat(get(Metric.NORMAL_PAGES)).isEqualTo(16 * 470);
    assertThat(get(Metric.RAM_PROCESSED)).isEqualTo(16 * 500 * PAGE);
  }

  @Test
  void rounds_areMeasuredBetweenAnswers() {
    figures.note(info(1, 970, 0, PAGE), true, SECOND);
    assertThat(get(Metric.BANDWIDTH)).as("after a round only").isZero();
    figures.note(info(1, 470, 500, PAGE), true, 2 * SECOND);
    assertThat(get(Metric.ROUND_BYTES)).isEqualTo(970 * PAGE);
    assertThat(get(Metric.ROUND_PROCESSED)).isEqualTo(500 * PAGE);
    figures.note(info(2, 200, 970, PAGE), true, 3 * SECOND);
    assertThat(get(Metric.BANDWIDTH)).isEqualTo(970 * PAGE / 2);
    assertThat(get(Metric.ROUND_BYTES)).isEqualTo(200 * PAGE);
    assertThat(get(Metric.ROUND_PROCESSED)).isZero();
    assertThat(telemetry.phases()).extracting(Phase::name).containsExactly("round 1", "round 2");
  }

  @Test
  void synchronizationAtTheSwitchover_beginsNoRound() {
    figures.note(info(1, 970, 0, PAGE), true, SECOND);
    figures.note(info(2, 3, 970, PAGE), false, 2 * SECOND);
    assertThat(telemetry.phases()).extracting(Phase::name).containsExactly("round 1");
    assertThat(get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(2);
    assertThat(get(Metric.ROUND_BYTES)).isEqualTo(3 * PAGE);
  }

  @Test
  void answerWithoutRam_changesNoFigureOfRam() {
    figures.note(info(1, 500, 470, PAGE), true, SECOND);
    figures.note(
        new MigrationInfo(
            "failed",
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of("Broken pipe")),
        false,
        2 * SECOND);
    assertThat(get(Metric.RAM_REMAINING)).isEqualTo(500 * PAGE);
  }
}
