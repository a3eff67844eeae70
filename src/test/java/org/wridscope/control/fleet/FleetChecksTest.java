// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.doctor.Level;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtUri;

final class FleetChecksTest {
  private static final VirtUri NODE1 = VirtUri.parse("qemu+ssh://node1/system");
  private static final VirtUri NODE2 = VirtUri.parse("qemu+ssh://node2/system");
  private static final VirtUri SESSION = VirtUri.parse("qemu:///session");
  private static final String QEMU =
      "<capabilities><host><migration_features><uri_transports><uri_transport>tcp</uri_transport>"
          + "<uri_transport>rdma</uri_transport></uri_transports></migration_features></host>"
          + "</capabilities>";
  private static final VirtDomain WEB =
      new VirtDomain(UUID.randomUUID(), "web", VirtDomain.State.RUNNING, 1L << 30, 2);

  private final FakeVirt virt = new FakeVirt();
  private HostFacts facts = facts("4", "10.9.0.1", "qemu yes\n");

  private static HostFacts facts(String state, String address, String rest) {
    return ShellProbe.parse(
        "Welcome!\ndevice rxe0 %s eth0\n%slockable unlimited\n%send\n"
            .formatted(state, address.isEmpty() ? "" : "address eth0 " + address + "\n", rest));
  }

  private static String domain(String memtune) {
    return "<domain><memory unit='KiB'>1048576</memory>%s<devices><emulator>/usr/bin/qemu</emulator></devices></domain>"
        .formatted(memtune);
  }

  private Readiness examine(VirtUri source, String memtune) throws VirtException {
    virt.host(source.text(), "node1").capabilities(QEMU).domainXml(domain(memtune));
    virt.host(NODE2.text(), "node2").capabilities(QEMU);
    return new FleetChecks(virt, (_, _) -> facts).examine(source, NODE2, List.of(WEB));
  }

  private static final String ENOUGH =
      "<memtune><hard_limit unit='MiB'>2048</hard_limit></memtune>";

  private static String failure(Readiness readiness) {
    assertThat(readiness.rdma()).isFalse();
    return readiness.checks().stream()
        .filter(check -> check.result().level() == Level.FAILURE)
        .map(check -> check.host() + ": " + check.result().sentence())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void hostsThatHaveAllThatRdmaNeeds_areReady_atTheAddressOfTheDevice() throws VirtException {
    Readiness readiness = examine(NODE1, ENOUGH);
    assertThat(readiness.checks()).allMatch(check -> check.result().level() == Level.OK);
    assertThat(readiness.checks()).extracting(FleetCheck::host).contains("node1", "node2");
    assertThat(readiness.rdma()).isTrue();
    assertThat(readiness.rdmaUri()).isEqualTo("rdma://10.9.0.1");
  }

  @Test
  void domainWithoutHardLimit_cannotMigrate_andTheCommandIsThere() throws VirtException {
    Readiness readiness = examine(NODE1, "");
    assertThat(failure(readiness)).startsWith("node1: web has no hard_limit");
    assertThat(readiness.checks())
        .extracting(check -> check.result().command())
        .contains(
            "virsh -c 'qemu+ssh://node1/system' memtune %s --hard-limit 2097152 --live --config"
                .formatted(WEB.id()));
  }

  @Test
  void hardLimitBelowTheRam_isTooLow() throws VirtException {
    assertThat(failure(examine(NODE1, "<memtune><hard_limit>524288</hard_limit></memtune>")))
        .contains("may lock 512 MiB, and has 1.00 GiB of RAM");
  }

  @Test
  void deviceThatIsDown_orHasNoAddress_isTold() throws VirtException {
    facts = facts("1", "10.9.0.1", "");
    assertThat(failure(examine(NODE1, ENOUGH))).contains("rxe0 is not up");
    facts = facts("4", "", "");
    assertThat(failure(examine(NODE1, ENOUGH))).contains("is up and has no address");
    facts = ShellProbe.parse("lockable unlimited\nend\n");
    assertThat(failure(examine(NODE1, ENOUGH))).contains("has no RDMA device");
  }

  @Test
  void qemuWithoutRdma_isTold() throws VirtException {
    facts = facts("4", "fd00::1", "qemu no\n");
    assertThat(failure(examine(NODE1, ENOUGH)))
        .isEqualTo("node1: /usr/bin/qemu was built without RDMA.");
  }

  @Test
  void limitOfLockedMemory_countsWhereLibvirtCannotRaiseIt() throws VirtException {
    facts =
        new HostFacts(
            facts.devices(), OptionalLong.of(8 << 20), Optional.of(true), Optional.empty());
    assertThat(examine(NODE1, ENOUGH).rdma()).isTrue();
    assertThat(failure(examine(SESSION, ENOUGH)))
        .contains("may lock 8.00 MiB, and libvirt would lock 2.00 GiB");
  }

  @Test
  void oldQemu_needsUserfaultfdAtTheDestination_becausePostCopyIsAllowedForItsReturnPath()
      throws VirtException {
    facts = facts("4", "10.9.0.1", "qemu yes\nuserfaultfd 0\n");
    Readiness readiness = examine(NODE1, ENOUGH);
    assertThat(failure(readiness)).startsWith("node2: A QEMU before 8.0 migrates over RDMA only");
    assertThat(readiness.checks())
        .extracting(check -> check.result().command())
        .contains("sysctl vm.unprivileged_userfaultfd=1");
    facts = facts("4", "10.9.0.1", "qemu yes\nuserfaultfd 1\n");
    assertThat(examine(NODE1, ENOUGH).rdma()).isTrue();
  }

  @Test
  void newQemus_needNoUserfaultfd() throws VirtException {
    facts = facts("4", "10.9.0.1", "qemu yes\nuserfaultfd 0\n");
    virt.host(NODE1.text(), "node1").qemu(8_000_000).capabilities(QEMU).domainXml(domain(ENOUGH));
    virt.host(NODE2.text(), "node2").qemu(10_001_000).capabilities(QEMU);
    Readiness readiness =
        new FleetChecks(virt, (_, _) -> facts).examine(NODE1, NODE2, List.of(WEB));
    assertThat(readiness.rdma()).isTrue();
    assertThat(readiness.checks())
        .extracting(check -> check.result().check())
        .doesNotContain("return path");
  }

  @Test
  void hostThatCannotBeLookedAt_isNotOfferedRdma_andNotRefused() throws VirtException {
    virt.host(NODE1.text(), "node1").capabilities(QEMU).domainXml(domain(ENOUGH));
    virt.host(NODE2.text(), "node2").capabilities(QEMU);
    Readiness readiness =
        new FleetChecks(
                virt,
                (_, _) -> {
                  throw new IOException("only through ssh");
                })
            .examine(NODE1, NODE2, List.of(WEB));
    assertThat(readiness.rdma()).isFalse();
    assertThat(readiness.checks())
        .filteredOn(check -> check.result().level() == Level.NOTE)
        .hasSize(2)
        .allMatch(check -> check.result().sentence().equals("only through ssh"));
  }

  @Test
  void libvirtOfAnotherHypervisor_doesNotMigrateOverRdma() throws VirtException {
    virt.host(NODE1.text(), "node1").domainXml(domain(ENOUGH));
    virt.host(NODE2.text(), "node2").capabilities(QEMU);
    assertThat(failure(new FleetChecks(virt, (_, _) -> facts).examine(NODE1, NODE2, List.of(WEB))))
        .isEqualTo("node1: Its libvirt does not migrate over rdma.");
  }

  @Test
  void scriptOfTheProbe_runsHere(@TempDir Path folder) throws IOException {
    Path qemu = folder.resolve("qemu 'x'");
    Files.writeString(qemu, "...librdmacm.so.1...");
    VirtUri here = VirtUri.parse("qemu:///system");
    assertThat(new ShellProbe().look(here, qemu.toString()).qemuHasRdma()).contains(true);
    Files.writeString(qemu, "nothing");
    assertThat(new ShellProbe().look(here, qemu.toString()).qemuHasRdma()).contains(false);
    assertThat(new ShellProbe().look(here, folder + "/none").qemuHasRdma()).isEmpty();
  }

  @Test
  void hostThatIsNotReachedThroughSsh_cannotBeLookedAt() {
    assertThatThrownBy(() -> new ShellProbe().look(VirtUri.parse("qemu+tcp://node9/system"), ""))
        .hasMessageContaining("connect it as qemu+ssh://node9/system");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<domain>",
        "<!DOCTYPE d [<!ENTITY e SYSTEM"
            + " 'file:///etc/passwd'>]><domain><emulator>&e;</emulator></domain>",
        "<!DOCTYPE d [<!ENTITY a 'aaaa'>]><domain/>"
      })
  void xmlOfAStranger_isRefused_ifItIsNoPlainXml(String xml) {
    assertThatThrownBy(() -> VirtXml.parse(xml))
        .isInstanceOf(VirtException.class)
        .hasMessageStartingWith("A description by libvirt is not valid XML");
  }

  @Test
  void nonsenseInXml_isNoNumber() throws VirtException {
    VirtXml xml =
        VirtXml.parse(
            "<domain><a>-1</a><b unit='Furlong'>3</b><c>9</c><d"
                + " unit='GiB'>99999999999999</d></domain>");
    assertThat(xml.bytes("a")).isEmpty();
    assertThat(xml.bytes("b")).isEmpty();
    assertThat(xml.bytes("c")).hasValue(9 << 10);
    assertThat(xml.bytes("d")).hasValue(Long.MAX_VALUE);
    assertThat(xml.bytes("e")).isEmpty();
  }
}
