// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.account.Account;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** Migrations between two processes, of which one may be killed. */
@Slow("each end is a process of its own")
@ExtendWith(OverTcp.class)
final class TwoProcessesTest {

  @Test
  void guestMoves_fromOneProcessToAnother() throws Exception {
    try (var rig = new Rig();
        var there = OtherProcess.start("destination", 0);
        var guest = BlockGuest.of(OtherProcess.RAM).boot(1, 0.5)) {
      var source = source(rig, there, guest, Rig.parameters(true, true));
      Rig.join(rig.start(source), source);
      assertThat(source.telemetry().status())
          .as(source.outcome())
          .isEqualTo(MigrationStatus.COMPLETED);
      assertThat(source.verified()).isTrue();
      assertThat(guest.isRunning()).isFalse();
      assertThat(there.line()).endsWith(".");
      assertThat(there.line()).isEqualTo("true");
    }
  }

  @Test
  void sourceNotices_whenTheProcessOfTheDestinationIsKilled() throws Exception {
    try (var rig = new Rig();
        var there = OtherProcess.start("destination", 0);
        var guest = BlockGuest.of(OtherProcess.RAM).boot(1, 0)) {
      var source = source(rig, there, guest, OtherProcess.slow());
      Thread here = rig.start(source);
      awaitWrites(source);
      there.kill();
      Rig.join(here, source);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .containsPattern("The peer (no longer answers|disconnected while)")
          .endsWith("The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  @Test
  void destinationNotices_whenTheProcessOfTheSourceIsKilled() throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var copy = BlockGuest.of(OtherProcess.RAM)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread here = rig.start(destination);
      try (var there = OtherProcess.start("source", rig.address().getPort())) {
        awaitStatus(destination, MigrationStatus.ACTIVE);
        there.kill();
        Rig.join(here, destination);
      }
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome())
          .containsPattern("The peer (no longer answers|disconnected while)")
          .endsWith("The guest was not started here.");
      assertThat(copy.isRunning()).isFalse();
    }
  }

  private static SourceSession source(
      Rig rig, OtherProcess there, BlockGuest guest, MigrationParameters parameters)
      throws Exception {
    return new SourceSession(
        rig.sourceDevice,
        OtherProcess.at(Integer.parseInt(there.line())),
        guest,
        parameters,
        new SessionTelemetry(Role.SOURCE, false, Account::new));
  }

  private static void awaitWrites(MigrationSession session) throws InterruptedException {
    var limit = new TimeLimit();
    while (session.telemetry().metrics().get(Metric.WRITES_COMPLETED) < 3
        && !session.telemetry().status().isEnd()) {
      limit.glance("three writes");
    }
  }

  private static void awaitStatus(MigrationSession session, MigrationStatus status)
      throws InterruptedException {
    var limit = new TimeLimit();
    while (session.telemetry().status() != status && !session.telemetry().status().isEnd()) {
      limit.glance(status.toString());
    }
  }
}
