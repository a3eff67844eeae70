// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.wridscope.control.FakeSession;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.Lab;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.Session;
import org.wridscope.control.SessionPair;
import org.wridscope.control.scenario.Verdict;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.RequestFailure;
import org.wridscope.guest.virtio.VirtioSnapshot;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

final class SessionsModelTest {
  private static final LabSettings LAB =
      new LabSettings(new MigrationSettings(new GuestSettings.Synthetic(1 << 30, 0, 0, 0, 1)));

  private final SessionsModel model = new SessionsModel(Session::reading);

  private static FakeSession session(String name, String uri, Role role) {
    return new FakeSession(name, uri, role, true);
  }

  private static FakeSession source(String name) {
    return session(name, "rdma:127.0.0.1:4444", Role.SOURCE);
  }

  private static FakeSession destination(String name) {
    return session(name, "rdma:127.0.0.1:4444", Role.DESTINATION);
  }

  @Test
  void refresh_sourceAndDestinationOfOneUri_areOneMigration() {
    FakeSession destination = destination("lab 1 destination");
    FakeSession source = source("lab 1 source");
    model.refresh(List.of(destination), 1);
    Migration migration = model.migrations().getFirst();
    assertThat(migration.name()).isEqualTo("lab 1 destination");
    model.refresh(List.of(destination, source), 2);
    assertThat(model.migrations()).containsExactly(migration);
    assertThat(migration.name()).isEqualTo("lab 1");
    assertThat(migration.pair()).isNotNull();
    assertThat(migration.pair().sessions()).containsExactly(source, destination);
  }

  @Test
  void names_sayFromWhereToWhere() {
    assertThat(MigrationName.of(alone(session("web1", "rdma:10.9.0.2:4444", Role.SOURCE)), null))
        .isEqualTo("web1 to 10.9.0.2");
    assertThat(
            MigrationName.of(alone(session("web1", "rdma:10.9.0.2:4444", Role.DESTINATION)), null))
        .isEqualTo("web1 at 10.9.0.2");
    assertThat(MigrationName.of(alone(source("source 1")), null)).isEqualTo("source 1");
    FakeSession source = source("source 1");
    FakeSession destination = destination("destination 2");
    var pair = new SessionPair(source, destination);
    assertThat(MigrationName.of(pair, null)).isEqualTo("source 1 to destination 2");
    source.setMachine(new MigrationReport.Machine("QEMU 4711", "unix:/run/a", null));
    destination.setMachine(
        new MigrationReport.Machine("the QEMU at unix:/run/b", "unix:/run/b", null));
    assertThat(MigrationName.of(pair, null)).isEqualTo("QEMU 4711");
    destination.setMachine(new MigrationReport.Machine("QEMU 4712", "unix:/run/b", null));
    assertThat(MigrationName.of(pair, null)).isEqualTo("QEMU 4711 to QEMU 4712");
    var run = new SessionPair(source("slow-link 3 source"), destination("slow-link 3 destination"));
    assertThat(MigrationName.of(run, "A slow link")).isEqualTo("A slow link (3)");
  }

  @Test
  void limits_areThoseThatAreKnown() {
    FakeSession source = source("a");
    assertThat(MigrationName.limits(alone(source))).isEmpty();
    source.telemetry().metrics().set(Metric.RAM_TOTAL, 4L << 30);
    source.telemetry().metrics().set(Metric.DOWNTIME_LIMIT, 300_000_000);
    assertThat(MigrationName.limits(alone(source))).isEqualTo("4.00 GiB · ≤ 300 ms");
    source.telemetry().metrics().set(Metric.BANDWIDTH_LIMIT, 64L << 20);
    assertThat(MigrationName.limits(alone(source))).isEqualTo("4.00 GiB · ≤ 64.0 MiB/s · ≤ 300 ms");
  }

  private static SessionPair alone(FakeSession session) {
    return session.role() == Role.SOURCE
        ? new SessionPair(session, null)
        : new SessionPair(null, session);
  }

  @Test
  void aLostVirtioRequest_isNotSound() {
    FakeSession destination = destination("lab 1 destination");
    FakeSession source = source("lab 1 source");
    model.refresh(List.of(destination, source), 1);
    Migration migration = model.migrations().getFirst();
    source.end(MigrationStatus.COMPLETED, "The guest runs at the destination.");
    destination.end(MigrationStatus.COMPLETED, "The guest runs here.");
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.COMPLETED);
    assertThat(migration.outcome()).isEqualTo("The guest runs at the destination.");
    var finding = new RequestFailure(RequestFailure.Kind.LOST, "virtio-blk requestq", 17);
    var queue = new QueueSnapshot("virtio-blk requestq", 64, 17, 16, 17, 16, 16, List.of(), 18, 16);
    destination.setVirtio(
        new VirtioSnapshot(
            true, List.of(queue), List.of(), 0, 0, Optional.of(finding), Optional.empty()));
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.UNSOUND);
    assertThat(migration.outcome())
        .isEqualTo(
            "virtio-blk requestq: request 17 is lost: it will never be completed. No driver has"
                + " noticed this so far. The guest runs at the destination.");
  }

  @Test
  void aScenariosFailure_isAsExpected_onceItsVerdictIsGood() {
    FakeSession destination = destination("lab 1 destination");
    FakeSession source = source("lab 1 source");
    Migration migration = model.addLab(new Lab(source, destination), null);
    var pair = new SessionPair(source, destination);
    source.end(MigrationStatus.FAILED, "The device reported QP_FATAL.");
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.FAILED);
    destination.end(MigrationStatus.FAILED, "The source is gone.");
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.FAILED);
    migration.judge(new Verdict(List.of("Both guests run.")));
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.FAILED);
    assertThat(model.failedAsExpected(pair)).isFalse();
    migration.judge(new Verdict(List.of()));
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.FAILED_AS_EXPECTED);
    assertThat(StatusText.of(migration).styleClass()).isEqualTo("status-done");
    assertThat(model.failedAsExpected(pair)).isTrue();
    assertThat(StatusText.of(source)).isEqualTo(StatusText.FAILED);
    assertThat(migration.outcome()).contains("QP_FATAL");
  }

  @Test
  void aScenarioThatCompletes_asExpected_saysSoAsAnyMigration() {
    FakeSession destination = destination("lab 1 destination");
    FakeSession source = source("lab 1 source");
    Migration migration = model.addLab(new Lab(source, destination), null);
    source.end(MigrationStatus.COMPLETED, "The guest runs at the destination.");
    destination.end(MigrationStatus.COMPLETED, "The guest runs here.");
    migration.judge(new Verdict(List.of()));
    assertThat(StatusText.of(migration)).isEqualTo(StatusText.COMPLETED);
    assertThat(migration.failedAsExpected()).isFalse();
  }

  @Test
  void refresh_otherUri_staysApart() {
    model.refresh(List.of(source("a"), session("b", "rdma:127.0.0.1:4445", Role.DESTINATION)), 1);
    assertThat(model.migrations()).hasSize(2);
  }

  @Test
  void refresh_twoSourcesOfOneUri_stayApart() {
    model.refresh(List.of(source("a"), source("b")), 1);
    assertThat(model.migrations()).hasSize(2);
  }

  @Test
  void refresh_destinationAfterTheSourceFailed_isAnotherMigration() {
    FakeSession source = source("a");
    source.end(MigrationStatus.FAILED, "Connection refused: start the destination first.");
    model.refresh(List.of(source), 1);
    model.refresh(List.of(source, destination("b")), 2);
    assertThat(model.migrations()).hasSize(2);
  }

  @Test
  void refresh_removedSession_goesAway() {
    FakeSession source = source("a");
    model.refresh(List.of(source), 1);
    model.refresh(List.of(), 2);
    assertThat(model.migrations()).isEmpty();
  }

  @Test
  void addLab_fromAReadyEntry_takesItsPlace() {
    Migration ready = model.addReady("First migration", LAB);
    assertThat(StatusText.of(ready)).isEqualTo(StatusText.READY);
    FakeSession source = source("lab 1 source");
    FakeSession destination = destination("lab 1 destination");
    // A refresh may find the sessions before the lab is added.
    model.refresh(List.of(source, destination), 1);
    assertThat(model.addLab(new Lab(source, destination), ready)).isSameAs(ready);
    model.refresh(List.of(source, destination), 2);
    assertThat(model.migrations()).containsExactly(ready);
    assertThat(ready.settings()).isNull();
    assertThat(model.find(destination)).isSameAs(ready);
  }

  @Test
  void refresh_readyEntry_staysUntilItIsDiscarded() {
    Migration ready = model.addReady("First migration", LAB);
    model.refresh(List.of(), 1);
    assertThat(model.migrations()).containsExactly(ready);
    model.hide(ready);
    assertThat(model.migrations()).isEmpty();
  }

  @Test
  void clock_ended_stopsAtTheEnd() {
    FakeSession source = source("a");
    long now = System.nanoTime();
    model.refresh(List.of(source), now);
    Migration migration = model.migrations().getFirst();
    assertThat(migration.clock(now + 5)).isEqualTo(now + 5);
    source.end(MigrationStatus.COMPLETED, "done");
    long end = source.telemetry().phases().getLast().nanos();
    model.refresh(List.of(source), System.nanoTime());
    assertThat(migration.clock(Long.MAX_VALUE)).isEqualTo(end);
    assertThat(migration.ended()).isTrue();
  }

  @Test
  void progress_remainingGrows_shrinks() {
    FakeSession source = source("a");
    source.telemetry().metrics().set(Metric.RAM_TOTAL, 1000);
    source.telemetry().metrics().set(Metric.RAM_REMAINING, 250);
    assertThat(Migration.progress(source, source.reading())).isEqualTo(0.75);
    source.telemetry().metrics().set(Metric.RAM_REMAINING, 500);
    assertThat(Migration.progress(source, source.reading())).isEqualTo(0.5);
    source.end(MigrationStatus.COMPLETED, "done");
    assertThat(Migration.progress(source, source.reading())).isEqualTo(1);
  }

  @Test
  void progress_destination_countsChunksWithKeysOrZero() {
    FakeSession destination = destination("a");
    var table = new ChunkTable(0, "pc.ram", 4L << 20, 0);
    table.setState(0, ChunkState.REGISTERED);
    table.setState(1, ChunkState.ZERO);
    table.setState(2, ChunkState.REGISTERED);
    destination.telemetry().metrics().set(Metric.RAM_TOTAL, 4 << 20);
    destination.telemetry().setBlocks(List.of(table));
    assertThat(Migration.progress(destination, destination.reading())).isEqualTo(0.75);
  }

  @Test
  void sparkline_manySamples_keepsTheAverage() {
    var line = new Sparkline();
    long bytes = 0;
    for (int i = 0; i <= 10 * Sparkline.CAPACITY; i++) {
      line.add(i * 1_000_000_000L, bytes);
      bytes += i % 2 == 0 ? 300 : 100;
    }
    assertThat(line.size()).isBetween(Sparkline.CAPACITY / 2, Sparkline.CAPACITY);
    assertThat(line.peak()).isEqualTo(200);
    assertThat(line.rate(line.size() - 1)).isEqualTo(200);
  }
}
