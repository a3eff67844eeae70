// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;

final class SessionTest {

  @Test
  void guestPlace_isTheMachineInAnotherProcess() {
    var session = new FakeSession("one", "rdma:h:1", Role.SOURCE, false);
    assertThat(session.guestPlace()).isEqualTo("runs here");
    session.setMachine(new MigrationReport.Machine("QEMU 4711", "unix:/run/vm.qmp", null));
    assertThat(session.guestPlace()).isEqualTo("runs in QEMU 4711 at unix:/run/vm.qmp");
    session.setGuestRunning(false);
    assertThat(session.guestPlace()).isEqualTo("does not run in QEMU 4711 at unix:/run/vm.qmp");
  }

  @Test
  void guestPlace_ofAQemuThatWasNotReached_saysNothingOfItsGuest() {
    var qemu = new MigrationReport.Machine("the QEMU at unix:/vm", "unix:/vm", null);
    var source = new FakeSession("one", "rdma:h:1", Role.SOURCE, false);
    source.setGuestRunning(false);
    source.setMachine(qemu);
    assertThat(source.guestPlace()).isEqualTo("is in the QEMU at unix:/vm");
    var destination = new FakeSession("two", "rdma:h:1", Role.DESTINATION, false);
    destination.setMachine(qemu);
    assertThat(destination.guestPlace()).isEqualTo("does not run in the QEMU at unix:/vm");
  }

  @Test
  void originNanos_ofAWaitingDestination_isWhenItBeganToListen() {
    assertThat(Session.originNanos(List.of(), 1_000)).isEqualTo(1_000);
    var listening = new Phase(Phase.Kind.LISTEN, 4_300);
    assertThat(Session.originNanos(List.of(listening), 1_000)).isEqualTo(4_300);
    var connected = new Phase(Phase.Kind.CONNECT, 9_000);
    assertThat(Session.originNanos(List.of(listening, connected), 1_000)).isEqualTo(9_000);
    var again = new Phase(Phase.Kind.LISTEN, 9_500);
    assertThat(Session.originNanos(List.of(listening, connected, again), 1_000)).isEqualTo(4_300);
    var source = new Phase(Phase.Kind.CONNECT, 12_000);
    assertThat(
            Session.originNanos(
                List.of(listening, connected, again, source, new Phase(Phase.Kind.CONNECT, 13_000)),
                1_000))
        .isEqualTo(12_000);
  }
}
