// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.TimeLimit;
import org.wridscope.control.Session;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtMigration;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Wait;

final class FleetMigrationTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final VirtUri NODE1 = VirtUri.parse("qemu+ssh://node1/system");
  private static final VirtUri NODE2 = VirtUri.parse("qemu+ssh://node2/system");
  private static final long GIB = 1L << 30;

  private final FakeVirt virt = new FakeVirt();
  private final FleetMigrations migrations = new FleetMigrations(virt);
  private FakeVirt.Host node1 = virt.host(NODE1.text(), "node1");
  private FakeVirt.Host node2 = virt.host(NODE2.text(), "node2");

  @BeforeEach
  void domains() {
    node1.runs("web").runs("db").runs("mail");
  }

  @AfterEach
  void close() {
    migrations.list().forEach(migration -> migration.session().close());
    migrations.close();
  }

  private static FleetPlan plan(String domain) {
    return new FleetPlan(
        NODE1,
        NODE2,
        UUID.nameUUIDFromBytes(domain.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
        domain,
        new VirtMigration("rdma://10.9.0.1", true, 0, 0, false, true, false),
        Duration.ofMillis(300));
  }

  private Session begun(String domain) {
    Session session = migrations.start(plan(domain), 2).session();
    new TimeLimit()
        .await("the fleet", () -> node1.migrating().contains(domain) || session.status().isEnd());
    return session;
  }

  private static void awaitEnd(Session session) throws InterruptedException {
    assertThat(session.await(LIMIT)).isTrue();
  }

  @Test
  void progressOfLibvirt_isThatOfTheSession_andItsEndTheOutcome() throws Exception {
    Session session = begun("web");
    node1.progress(
        "web",
        Map.of(
            "memory_total", GIB,
            "memory_remaining", GIB / 4,
            "memory_processed", GIB / 2,
            "memory_iteration", 2L,
            "memory_normal", 1000L,
            "memory_constant", 500L,
            "memory_page_size", 4096L));
    new TimeLimit().await("the fleet", () -> session.status() == MigrationStatus.ACTIVE);
    assertThat(session.telemetry().metrics().get(Metric.RAM_REMAINING)).isEqualTo(GIB / 4);
    assertThat(session.uri()).isEqualTo("rdma://10.9.0.1");
    assertThat(session.guestRunning()).isTrue();
    assertThat(session.telemetry().metrics().get(Metric.DIRTY_SYNC_COUNT)).isEqualTo(2);
    assertThat(node1.told()).containsExactly("downtime 300 ms");

    node1.arrive("web");
    awaitEnd(session);
    assertThat(session.status()).isEqualTo(MigrationStatus.COMPLETED);
    assertThat(session.outcome())
        .isEqualTo("libvirt migrated the domain to qemu+ssh://node2/system. It runs there.");
    assertThat(session.guestRunning()).isFalse();
    assertThat(session.telemetry().metrics().get(Metric.DOWNTIME))
        .isEqualTo(Duration.ofMillis(42).toNanos());
    assertThat(session.report().totalTime()).isEqualTo(1500);
    assertThat(session.report().downtime()).isEqualTo(42);
    new TimeLimit().await("the fleet", () -> node1.connections() == 0 && node2.connections() == 0);
  }

  @Test
  void guestThatIsStopped_isInTheSwitchOver() throws Exception {
    Session session = begun("web");
    node1.progress("web", Map.of("memory_total", GIB, "memory_iteration", 3L));
    node1.set(new VirtDomain(plan("web").domain(), "web", VirtDomain.State.PAUSED, GIB, 2));
    new TimeLimit().await("the fleet", () -> session.status() == MigrationStatus.DEVICE);
    assertThat(session.mustFinish()).isTrue();
    node1.arrive("web");
    awaitEnd(session);
    assertThat(session.mustFinish()).isFalse();
  }

  @Test
  void cancelledMigration_leavesTheDomainWhereItRuns() throws Exception {
    Session session = begun("web");
    session.cancel();
    awaitEnd(session);
    assertThat(session.status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(session.outcome())
        .isEqualTo(
            "The migration was cancelled. The domain keeps running at qemu+ssh://node1/system.");
    assertThat(session.guestRunning()).isTrue();
  }

  @Test
  void refusal_isLibvirtsOwnSentence() throws Exception {
    node1.refuse("cannot start RDMA migration with no memory hard limit set");
    Session session = begun("web");
    awaitEnd(session);
    assertThat(session.status()).isEqualTo(MigrationStatus.FAILED);
    assertThat(session.outcome())
        .isEqualTo(
            "cannot start RDMA migration with no memory hard limit set. The domain keeps running at"
                + " qemu+ssh://node1/system.");
  }

  @Test
  void hostsThatCannotBeAsked_leaveItUndecided() throws Exception {
    Session session = begun("web");
    node1.fail("connection reset by peer");
    node1.arrive("web");
    awaitEnd(session);
    assertThat(session.status()).isEqualTo(MigrationStatus.UNDECIDED);
    assertThat(session.outcome()).contains("must not be started at both hosts");
  }

  @Test
  void limitPerHost_letsTheOthersWait_andTheyFollow() throws Exception {
    Session web = migrations.start(plan("web"), 1).session();
    Session db = migrations.start(plan("db"), 1).session();
    Session mail = migrations.start(plan("mail"), 1).session();
    new TimeLimit().await("the fleet", () -> node1.migrating().equals(Set.of("web")));
    new TimeLimit().await("the fleet", () -> db.telemetry().waitingFor() != null);
    assertThat(db.telemetry().waitingFor()).isEqualTo(new Wait(Wait.Kind.OTHER_MIGRATIONS));
    db.cancel();
    awaitEnd(db);
    assertThat(db.status()).isEqualTo(MigrationStatus.CANCELLED);
    assertThat(db.outcome()).contains("before it began");
    node1.arrive("web");
    awaitEnd(web);
    new TimeLimit().await("the fleet", () -> node1.migrating().equals(Set.of("mail")));
    node1.arrive("mail");
    awaitEnd(mail);
    assertThat(mail.status()).isEqualTo(MigrationStatus.COMPLETED);
    migrations.clear();
    assertThat(migrations.list()).isEmpty();
  }

  @Test
  void limits_areChangedWhileItRuns() {
    Session session = begun("web");
    node1.progress("web", Map.of("memory_total", GIB));
    new TimeLimit().await("the fleet", () -> session.status() == MigrationStatus.ACTIVE);
    session.setBandwidthLimit(5 << 20);
    session.setDowntimeLimit(Duration.ofSeconds(1));
    new TimeLimit().await("the fleet", () -> node1.told().size() == 3);
    assertThat(node1.told())
        .containsExactly("downtime 300 ms", "bandwidth 5242880", "downtime 1000 ms");
  }

  /** Libvirt would replace them by what the migration begins with. */
  @Test
  void limitsThatAreChangedTooEarly_areGivenOnceQemuMigrates() throws Exception {
    Session web = migrations.start(plan("web"), 1).session();
    Session db = migrations.start(plan("db"), 1).session();
    new TimeLimit().await("the fleet", () -> node1.migrating().equals(Set.of("web")));
    db.setBandwidthLimit(5 << 20);
    node1.arrive("web");
    awaitEnd(web);
    new TimeLimit()
        .await(
            "the fleet",
            () -> node1.migrating().equals(Set.of("db")) && db.telemetry().waitingFor() == null);
    db.setDowntimeLimit(Duration.ofSeconds(1));
    List<String> begun = List.of("downtime 300 ms", "downtime 300 ms");
    assertThat(node1.told()).isEqualTo(begun);
    node1.progress("db", Map.of("memory_total", GIB));
    new TimeLimit().await("the fleet", () -> node1.told().size() == 4);
    assertThat(node1.told().subList(2, 4)).containsExactly("bandwidth 5242880", "downtime 1000 ms");
  }

  @Test
  void wrongChoices_areToldInASentence() {
    assertThatThrownBy(() -> new VirtMigration("http://x", false, 0, 0, false, true, false))
        .hasMessageContaining("write rdma://HOST or tcp://HOST");
    assertThat(new VirtMigration("rdma:10.9.0.1:7", true, 0, 0, false, true, false).uri())
        .isEqualTo("rdma://10.9.0.1:7");
    assertThatThrownBy(() -> new VirtMigration("rdma://x", false, 2, 0, false, true, false))
        .hasMessageContaining("none over RDMA");
    assertThatThrownBy(() -> new VirtMigration("", true, 0, 0, false, true, false))
        .hasMessageContaining("only migrations over RDMA");
    assertThatThrownBy(() ->
            new FleetPlan(
                NODE1, NODE1, UUID.randomUUID(), "web", plan("web").how(), Duration.ofMillis(1)))
        .hasMessageContaining("the same host");
  }
}
