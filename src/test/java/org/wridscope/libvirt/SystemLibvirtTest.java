// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** libvirt's own library with its driver {@code test}, which simulates a host in this process. */
final class SystemLibvirtTest {
  private static final VirtUri SIMULATED = VirtUri.parse("test:///default");

  private final SystemLibvirt libvirt = new SystemLibvirt();

  /** Skips the test where libvirt is not installed, if that is what the user is told. */
  @BeforeEach
  void requireLibrary() throws VirtException {
    try {
      libvirt.open(SIMULATED).close();
    } catch (VirtException e) {
      if (e.sentence().contains("install the package libvirt0")) {
        abort(e.sentence());
      }
      throw e;
    }
  }

  @Test
  void simulatedHost_saysWhatItIs_andListsItsDomain() throws VirtException {
    try (VirtHost host = libvirt.open(SIMULATED)) {
      assertThat(host.identity().hypervisor()).startsWith("TEST ");
      assertThat(host.identity().libvirt()).matches("\\d+\\.\\d+\\.\\d+");
      assertThat(host.identity().processors()).isPositive();
      assertThat(host.domains())
          .containsExactly(
              new VirtDomain(
                  UUID.fromString("6695eb01-f6a4-8304-79aa-97f2502e193f"),
                  "test",
                  VirtDomain.State.RUNNING,
                  2L << 30,
                  2));
    }
  }

  @Test
  void changeOfADomain_isAnEvent() throws Exception {
    try (VirtHost host = libvirt.open(SIMULATED)) {
      var told = new CountDownLatch(1);
      host.onEvent(told::countDown);
      // The driver has one host for the whole process.
      var other = new org.libvirt.Connect(SIMULATED.text());
      org.libvirt.Domain domain = other.domainLookupByName("test");
      domain.suspend();
      assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(host.domains())
          .singleElement()
          .matches(one -> one.state() == VirtDomain.State.PAUSED);
      domain.resume();
      domain.free();
      other.close();
    }
  }

  @Test
  void libvirtThatIsNotThere_isToldInASentence() {
    assertThatThrownBy(
            () -> libvirt.open(VirtUri.parse("qemu+unix:///system?socket=/nowhere/libvirt-sock")))
        .isInstanceOf(VirtException.class)
        .hasMessageStartingWith("libvirt could not connect to qemu+unix:///system")
        .hasMessageContaining("/nowhere/libvirt-sock")
        .hasMessageEndingWith(".");
  }

  @Test
  void whatTheSimulatedHostCannotDo_isToldInLibvirtsWords() throws VirtException {
    try (VirtHost host = libvirt.open(SIMULATED);
        VirtHost other = libvirt.open(SIMULATED)) {
      UUID domain = host.domains().getFirst().id();
      assertThatThrownBy(() ->
              host.migrate(
                  domain, other, new VirtMigration("rdma://x", true, 0, 0, false, true, false)))
          .hasMessageStartingWith("libvirt says: ")
          .hasMessageContaining("not supported");
      assertThatThrownBy(() -> host.job(domain)).hasMessageContaining("virDomainGetJobStats");
      assertThatThrownBy(() -> host.setBandwidthLimit(domain, 1))
          .hasMessageContaining("refused to change the limit");
      assertThat(host.domain(domain)).isPresent();
      assertThat(host.domain(UUID.randomUUID())).isEmpty();
      assertThat(host.domainXml(domain)).contains("<name>test</name>");
      assertThat(host.capabilitiesXml()).startsWith("<capabilities>");
    }
  }

  @Test
  void closedConnection_saysSo() throws VirtException {
    VirtHost host = libvirt.open(SIMULATED);
    host.close();
    host.close();
    assertThatThrownBy(host::domains).hasMessage("The connection was closed.");
  }
}
