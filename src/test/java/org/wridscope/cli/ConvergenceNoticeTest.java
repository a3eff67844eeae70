// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

final class ConvergenceNoticeTest {
  private static final long SECOND = 1_000_000_000;
  private long now = 5 * SECOND;

  private ConvergenceNotice notice(FakeSession session) {
    var notice = new ConvergenceNotice(() -> now, session);
    session.telemetry().setStatus(MigrationStatus.ACTIVE);
    assertThat(notice.next()).isEmpty();
    return notice;
  }

  private static FakeSession session(Role role, long rounds, long expectedMillis) {
    var session = new FakeSession("s", "rdma:h:1", role, false);
    session.telemetry().metrics().set(Metric.DIRTY_SYNC_COUNT, rounds);
    session.telemetry().metrics().set(Metric.DIRTY_BYTES_RATE, 3 << 20);
    session.telemetry().metrics().set(Metric.BANDWIDTH, 2 << 20);
    session.telemetry().metrics().set(Metric.DOWNTIME_LIMIT, 300_000_000);
    session.telemetry().metrics().set(Metric.RAM_TOTAL, 1 << 30);
    session.telemetry().metrics().set(Metric.ROUND_BYTES, (2 << 20) * expectedMillis / 1500);
    return session;
  }

  @Test
  void sourceThatDoesNotConverge_saysSoOnce_afterAMinute() {
    ConvergenceNotice notice = notice(session(Role.SOURCE, 40, 1500));
    now += 59 * SECOND;
    assertThat(notice.next()).isEmpty();
    now += SECOND;
    assertThat(notice.next().orElseThrow())
        .startsWith("The migration has not converged after ")
        .contains(
            "40 rounds", "dirties 3.00 MiB/s, the source sends 2.00 MiB/s", "--downtime-limit");
    now += 600 * SECOND;
    assertThat(notice.next()).isEmpty();
  }

  @Test
  void slowFirstRound_andALimitThatWillBeKept_areNotSpokenOf() {
    ConvergenceNotice slow = notice(session(Role.SOURCE, 1, 1500));
    ConvergenceNotice converging = notice(session(Role.SOURCE, 40, 200));
    now += 600 * SECOND;
    assertThat(slow.next()).isEmpty();
    assertThat(converging.next()).isEmpty();
  }

  @Test
  void destination_namesTheSource() {
    ConvergenceNotice notice = notice(session(Role.DESTINATION, 40, 0));
    now += 61 * SECOND;
    assertThat(notice.next().orElseThrow()).contains("40 rounds", "the source");
  }

  @Test
  void timeBeforeRamIsSent_doesNotCount() {
    var session = session(Role.SOURCE, 40, 1500);
    var notice = new ConvergenceNotice(() -> now, session);
    assertThat(notice.next()).isEmpty();
    now += 600 * SECOND;
    session.telemetry().setStatus(MigrationStatus.ACTIVE);
    assertThat(notice.next()).isEmpty();
  }
}
