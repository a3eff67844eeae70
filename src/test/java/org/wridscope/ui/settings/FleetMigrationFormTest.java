// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.wridscope.control.doctor.CheckResult;
import org.wridscope.control.doctor.Level;
import org.wridscope.control.fleet.FleetCheck;
import org.wridscope.control.fleet.FleetHost;
import org.wridscope.control.fleet.FleetPlan;
import org.wridscope.control.fleet.Readiness;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtHost;
import org.wridscope.libvirt.VirtUri;
import org.wridscope.settings.ManagedSetting;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.ui.settings.FleetMigrationForm.Transport;

final class FleetMigrationFormTest {
  private static final FleetHost NODE1 = host("node1", FleetHost.Phase.CONNECTED);
  private static final FleetHost NODE2 = host("node2", FleetHost.Phase.CONNECTED);
  private static final FleetHost NODE3 = host("node3", FleetHost.Phase.LOST);
  private static final VirtDomain WEB = domain("web");
  private static final VirtDomain DB = domain("db");

  private static FleetHost host(String name, FleetHost.Phase phase) {
    return new FleetHost(
        VirtUri.parse("qemu+ssh://" + name + "/system"),
        phase,
        new VirtHost.Identity(name, "QEMU 7.2.22", 7_002_022, "9.0.0", "x86_64", 1L << 36, 16),
        List.of(),
        Duration.ZERO,
        "");
  }

  private static VirtDomain domain(String name) {
    return new VirtDomain(UUID.randomUUID(), name, VirtDomain.State.RUNNING, 1 << 30, 1);
  }

  private static FleetMigrationForm form(VirtDomain... domains) {
    return new FleetMigrationForm(NODE1, List.of(domains), List.of(NODE1, NODE2, NODE3));
  }

  private static Readiness readiness(Level level) {
    return new Readiness(
        List.of(new FleetCheck("node2", new CheckResult("RDMA device", level, "", "", ""))),
        "rdma://10.9.0.1");
  }

  @Test
  void destinations_areTheOtherHostsThatCanBeAsked() {
    assertThat(form(WEB).destinations()).containsExactly(NODE2);
    assertThat(form(WEB).destination()).isEqualTo(NODE2);
    var alone = new FleetMigrationForm(NODE1, List.of(WEB), List.of(NODE1));
    assertThat(alone.hindrance()).contains("Connect the destination host first");
    assertThatThrownBy(alone::plans).hasMessage(alone.hindrance());
  }

  @Test
  void rdma_isOfferedOnceNothingPreventsIt() {
    FleetMigrationForm form = form(WEB);
    assertThat(form.transport()).isEqualTo(Transport.TCP);
    form.setReadiness(readiness(Level.FAILURE));
    assertThat(form.transport()).isEqualTo(Transport.TCP);
    form.setReadiness(readiness(Level.OK));
    assertThat(form.transport()).isEqualTo(Transport.RDMA);
    form.set(MigrationSetting.PIN_ALL, true);
    FleetPlan plan = form.plans().getFirst();
    assertThat(plan.how().uri()).isEqualTo("rdma://10.9.0.1");
    assertThat(plan.how().pinAll()).isTrue();
    form.setTransport(Transport.TCP);
    assertThat(form.plans().getFirst().how().uri()).isEmpty();
    assertThat(form.plans().getFirst().how().pinAll()).isFalse();
  }

  @Test
  void severalDomains_becomeAsManyPlans_withALimit() {
    FleetMigrationForm form = form(WEB, DB);
    assertThat(form.fields()).contains(Field.AT_ONCE, Field.of(ManagedSetting.CONNECTIONS));
    assertThat(form.limit()).isEqualTo(2);
    form.set(Field.of(ManagedSetting.CONNECTIONS), "4");
    form.set(Field.BANDWIDTH, "100MiB/s");
    assertThat(form.plans()).extracting(FleetPlan::name).containsExactly("web", "db");
    assertThat(form.plans().getFirst().how().connections()).isEqualTo(4);
    assertThat(form.plans().getFirst().how().bandwidthLimit()).isEqualTo(100 << 20);
    form.set(Field.AT_ONCE, "0");
    assertThat(form.errors()).containsOnlyKeys(Field.AT_ONCE);
  }

  @Test
  void addressOfTheOtherTransport_isAnError() {
    FleetMigrationForm form = form(WEB);
    form.set(Field.URI, "rdma://10.9.0.1");
    assertThat(form.errors().get(Field.URI)).contains("or choose RDMA");
    form.setTransport(Transport.RDMA);
    assertThat(form.errors().get(Field.URI)).contains("write rdma://HOST");
    form.set(Field.URI, "rdma://a b");
    assertThat(form.errors()).containsKey(Field.URI);
  }

  @Test
  void storedInputs_doNotBringAnAddressOfOtherHosts() {
    FleetMigrationForm before = form(WEB);
    before.set(Field.URI, "tcp://elsewhere");
    before.set(Field.DOWNTIME_LIMIT, "1s");
    FleetMigrationForm form = form(WEB);
    form.enter(before.inputs());
    assertThat(form.get(Field.URI)).isEmpty();
    assertThat(form.plans().getFirst().downtimeLimit()).isEqualTo(Duration.ofSeconds(1));
  }
}
