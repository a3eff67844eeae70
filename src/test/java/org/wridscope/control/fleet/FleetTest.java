// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.wridscope.libvirt.FakeVirt;
import org.wridscope.libvirt.VirtDomain;
import org.wridscope.libvirt.VirtUri;

final class FleetTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String NODE1 = "qemu+ssh://node1/system";

  private final FakeVirt virt = new FakeVirt();
  private final Fleet fleet = new Fleet(virt);

  @AfterEach
  void close() {
    fleet.close();
  }

  private FleetHost await(Predicate<FleetHost> condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      FleetHost now = fleet.list().getFirst();
      if (condition.test(now)) {
        return now;
      }
      assertThat(System.nanoTime()).as("still %s", now).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void connectedHost_listsItsDomains_andFollowsThem() {
    FakeVirt.Host node = virt.host(NODE1, "node1").runs("web").runs("db");
    fleet.connect(VirtUri.parse(NODE1));
    FleetHost host = await(one -> one.phase() == FleetHost.Phase.CONNECTED);
    assertThat(host.title()).isEqualTo("node1");
    assertThat(host.active()).extracting(VirtDomain::name).containsExactly("web", "db");

    VirtDomain web = host.domains().getFirst();
    node.set(new VirtDomain(web.id(), "web", VirtDomain.State.SHUT_OFF, 0, 2));
    assertThat(await(one -> one.active().size() == 1).active())
        .extracting(VirtDomain::name)
        .containsExactly("db");
  }

  @Test
  void hostThatDoesNotAnswer_isToldSoWhileItIsAsked() {
    FakeVirt.Host node = virt.host(NODE1, "node1");
    node.fallSilent();
    fleet.connect(VirtUri.parse(NODE1));
    assertThat(await(one -> one.silence().isPositive()).phase())
        .isEqualTo(FleetHost.Phase.CONNECTING);
    node.speak();
    await(one -> one.phase() == FleetHost.Phase.CONNECTED);
  }

  @Test
  void lostHost_saysWhy_andKeepsWhatWasKnown() {
    FakeVirt.Host node = virt.host(NODE1, "node1").runs("web");
    fleet.connect(VirtUri.parse(NODE1));
    await(one -> one.phase() == FleetHost.Phase.CONNECTED);
    node.fail("libvirt says: connection reset by peer");
    FleetHost lost = await(one -> one.phase() == FleetHost.Phase.LOST);
    assertThat(lost.message()).isEqualTo("libvirt says: connection reset by peer.");
    assertThat(lost.title()).isEqualTo("node1");
    assertThat(lost.domains()).hasSize(1);
  }

  @Test
  void disconnectedHost_isForgotten_andItsConnectionEnds() {
    FakeVirt.Host node = virt.host(NODE1, "node1");
    VirtUri uri = VirtUri.parse(NODE1);
    fleet.connect(uri);
    fleet.connect(uri);
    assertThat(fleet.list()).hasSize(1);
    await(one -> one.phase() == FleetHost.Phase.CONNECTED);
    fleet.disconnect(uri);
    assertThat(fleet.list()).isEmpty();
    long end = System.nanoTime() + LIMIT.toNanos();
    while (node.connections() > 0) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
