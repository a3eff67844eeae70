// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.Slow;
import org.wridscope.TimeLimit;
import org.wridscope.analysis.Ending;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.settings.Settings;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;

/** What QEMUs are told and asked, and what is made of their answers; without a QEMU. */
@Slow("figures that are asked for again and again, in real time")
final class QemuSteeringTest {
  private static final Duration END = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final LocalSessions manager = new LocalSessions();
  private SimulatedQemu from;
  private SimulatedQemu to;

  @BeforeEach
  void start() throws IOException {
    from = SimulatedQemu.running(directory, "from");
    to = SimulatedQemu.waiting(directory, "to");
  }

  @AfterEach
  void close() throws IOException {
    // Otherwise a session that has not ended would be waited for.
    from.setMigration("{\"status\": \"cancelled\"}");
    manager.close();
    from.close();
    to.close();
  }

  private List<Session> start(Settings settings) {
    return manager.startQemuMigration(
        new QemuMigrationSettings(
            from.address(),
            to.address(),
            QemuUri.parse("rdma:10.9.0.2:4444"),
            settings.with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(200))));
  }

  private static void awaitEnd(List<Session> ends) throws InterruptedException {
    for (Session session : ends) {
      assertThat(session.await(END)).isTrue();
    }
  }

  private void migrate(String status) {
    from.setMigration("{\"status\": \"%s\", %s}".formatted(status, SimulatedQemu.RAM));
  }

  /** With {@code cpr-exec}, a QEMU executes a command at the end of its migration. */
  @Test
  void modeOfBothEnds_isNormalMeanwhile() throws Exception {
    from.parameters().put("mode", "cpr-exec");
    to.parameters().put("mode", "normal");
    List<Session> ends = start(Settings.USUAL);
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    assertThat(from.parameters()).containsEntry("mode", "normal");
    from.setMigration("{\"status\": \"cancelled\"}");
    awaitEnd(ends);
    assertThat(from.parameters()).containsEntry("mode", "cpr-exec");
    assertThat(to.parameters()).containsEntry("mode", "normal");
  }

  /** A QEMU before 11.1 has no such parameter, and chunks of 1 MiB. */
  @Test
  void chunksOfDifferentSizes_areRefused() throws Exception {
    from.parameters().put("x-rdma-chunk-size", 2L << 20);
    List<Session> ends = start(Settings.USUAL);
    awaitEnd(ends);
    assertThat(ends.getFirst().status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(ends.getFirst().report().errorDesc())
        .contains("The parameter x-rdma-chunk-size is 2097152 in QEMU 9.1.2 at ")
        .contains(" and 1048576 in QEMU 9.1.2 at ");
    assertThat(from.commands()).isEmpty();
    assertThat(to.commands()).isEmpty();
  }

  @Test
  void capabilityThatAQemuLacks_isRefusedBeforeAnythingBegins() throws Exception {
    from.capabilities().remove("auto-converge");
    List<Session> ends = start(Settings.USUAL.with(ManagedSetting.AUTO_CONVERGE, true));
    awaitEnd(ends);
    assertThat(ends.getFirst().status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(ends.getFirst().outcome())
        .contains("has no migration capability auto-converge")
        .endsWith("The guest keeps running at the source.");
    assertThat(from.commands()).isEmpty();
  }

  @Test
  void qemusAreToldInTheRightOrder_andSetBack() throws Exception {
    List<Session> ends =
        start(
            Settings.USUAL
                .with(MigrationSetting.PIN_ALL, true)
                .with(ManagedSetting.AUTO_CONVERGE, true));
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    assertThat(to.commands()).containsExactly("migrate-incoming rdma:10.9.0.2:4444");
    assertThat(from.capabilities())
        .containsEntry("rdma-pin-all", true)
        .containsEntry("auto-converge", true)
        .containsEntry("events", true);
    assertThat(to.capabilities())
        .containsEntry("rdma-pin-all", true)
        .containsEntry("auto-converge", false);
    assertThat(from.parameters())
        .containsEntry("max-bandwidth", 1L << 40)
        .containsEntry("downtime-limit", 200L);
    SimulatedQemu.complete(from, to);
    awaitEnd(ends);
    assertThat(from.capabilities()).containsValue(false).doesNotContainValue(true);
    assertThat(to.capabilities()).doesNotContainValue(true);
    assertThat(from.parameters())
        .containsEntry("max-bandwidth", 128L << 20)
        .containsEntry("downtime-limit", 300L);
    MigrationReport report = ends.getFirst().report();
    assertThat(report.status()).isEqualTo("completed");
    assertThat(report.totalTime()).isEqualTo(1500);
    assertThat(report.downtime()).isEqualTo(42);
    assertThat(report.pinAll()).isTrue();
    assertThat(report.ram().normal()).isEqualTo(7);
  }

  @Test
  void figures_areThoseOfQueryMigrate() {
    Session source = start(Settings.USUAL).getFirst();
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    migrate("active");
    new TimeLimit().await("the QEMU", () -> source.status() == MigrationStatus.ACTIVE);
    assertThat(source.telemetry().metrics().get(Metric.RAM_REMAINING)).isEqualTo(8192);
    assertThat(source.telemetry().metrics().get(Metric.DIRTY_BYTES_RATE)).isEqualTo(3 * 4096);
    assertThat(source.guestRunning()).isTrue();
    assertThat(source.showsRequests()).isFalse();
    assertThat(source.machine()).map(MigrationReport.Machine::name).hasValue("QEMU 9.1.2");
    from.setStatus("finish-migrate");
    new TimeLimit().await("the QEMU", () -> source.status() == MigrationStatus.DEVICE);
    assertThat(source.mustFinish()).isTrue();
    source.cancel();
    assertThat(from.commands()).as("too late to cancel").doesNotContain("migrate_cancel");
  }

  @Test
  void limits_reachTheSource() {
    Session source = start(Settings.USUAL).getFirst();
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    migrate("active");
    source.setBandwidthLimit(5_000_000);
    source.setDowntimeLimit(Duration.ofSeconds(2));
    new TimeLimit()
        .await(
            "the QEMU",
            () ->
                from.parameters().containsValue(5_000_000L)
                    && from.parameters().containsValue(2000L));
    assertThat(source.telemetry().metrics().get(Metric.BANDWIDTH_LIMIT)).isEqualTo(5_000_000);
  }

  @Test
  void held_isContinuedOnlyThen() {
    Session source =
        start(Settings.USUAL.with(MigrationSetting.PAUSE_BEFORE_SWITCHOVER, true)).getFirst();
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    migrate("active");
    new TimeLimit().await("the QEMU", () -> source.status() == MigrationStatus.ACTIVE);
    source.permitSwitchover();
    source.setBandwidthLimit(1);
    new TimeLimit().await("the QEMU", () -> from.parameters().containsValue(1L));
    assertThat(from.commands()).doesNotContain("migrate-continue");
    migrate("pre-switchover");
    new TimeLimit().await("the source to be held", source::heldBeforeSwitchover);
    source.permitSwitchover();
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate-continue"));
  }

  @Test
  void failure_isToldInQemusWords() throws Exception {
    List<Session> ends = start(Settings.USUAL);
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    from.setMigration("{\"status\": \"failed\", \"error-desc\": \"RDMA ERROR: no device\"}");
    awaitEnd(ends);
    assertThat(ends.getFirst().outcome())
        .isEqualTo(
            "QEMU's migration failed: RDMA ERROR: no device. The guest keeps running at the"
                + " source.");
    assertThat(Endings.of(ends.getFirst(), ends.getLast()))
        .extracting(Ending::sentence)
        .isEqualTo(ends.getFirst().outcome());
    assertThat(ends.getFirst().report().errorDesc()).isEqualTo(ends.getFirst().outcome());
  }

  @Test
  void guestThatStoodStillAfterAFailure_isNotResumedUnasked() throws Exception {
    List<Session> ends = start(Settings.USUAL);
    new TimeLimit().await("the QEMU", () -> from.commands().contains("migrate rdma:10.9.0.2:4444"));
    from.setStatus("postmigrate");
    from.setMigration("{\"status\": \"failed\"}");
    awaitEnd(ends);
    assertThat(ends.getFirst().outcome())
        .contains("does not say why")
        .contains("is paused at the source (its state is postmigrate)");
    assertThat(from.commands()).doesNotContain("cont");
  }

  @Test
  void refusal_endsBeforeAnythingBegins() throws Exception {
    to.refuse("migrate-incoming", "RDMA is disabled");
    List<Session> ends = start(Settings.USUAL.with(ManagedSetting.AUTO_CONVERGE, true));
    awaitEnd(ends);
    assertThat(ends.getFirst().outcome())
        .isEqualTo(
            "QEMU refused migrate-incoming: RDMA is disabled. The guest keeps running at the"
                + " source.");
    assertThat(from.commands()).doesNotContain("migrate rdma:10.9.0.2:4444");
    assertThat(from.capabilities()).doesNotContainValue(true);
  }

  @Test
  void migrationThatRunsAlready_isLeftAlone() throws Exception {
    migrate("active");
    List<Session> ends = start(Settings.USUAL);
    awaitEnd(ends);
    assertThat(ends.getFirst().outcome()).contains("is migrating already (active)");
    assertThat(from.commands()).isEmpty();
    assertThat(to.commands()).isEmpty();
  }
}
