// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.engine.Custody;
import org.wridscope.guest.Guest;
import org.wridscope.guest.Tracking;
import org.wridscope.qmp.QmpAddress;

/** Frees the memory of guests for others. */
final class SessionGuestTest {
  private static final GuestSettings.Synthetic SETTINGS =
      new GuestSettings.Synthetic(1 << 20, 0, 0, 0.5, 1);

  @Test
  void guestThatRuns_isShutDown_andItsFateIsSaid() throws Exception {
    Guest running = new Guests().boot(SETTINGS, () -> {}, _ -> {});
    try (var guest = new SessionGuest(running)) {
      assertThat(guest.isRunning()).isTrue();
      guest.makeRoom(Custody.HERE);
      assertThat(guest.isRunning()).isFalse();
      assertThat(guest.fate()).startsWith("was shut down later");
    }
  }

  /** Otherwise this would hide that a guest was lost. */
  @Test
  void guestThatStandsStill_isNotSaidToHaveBeenShutDown() throws Exception {
    try (var guest = new SessionGuest(new Guests().incoming(SETTINGS))) {
      guest.makeRoom(Custody.HERE);
      assertThat(guest.fate()).isNull();
    }
  }

  /** Its QMP socket serves one client at a time. */
  @ParameterizedTest
  @EnumSource
  void machineInAnotherProcess_isLeftAtTheEnd_whereverTheGuestIs(Custody custody) {
    var machine = new FakeRunningMachine();
    try (var guest = new SessionGuest(machine, QmpAddress.parse("/run/vm.qmp"))) {
      guest.ended(custody);
      assertThat(machine.closed()).isEqualTo(1);
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.machine())
          .contains(new MigrationReport.Machine("QEMU 4711", "unix:/run/vm.qmp", null));
    }
  }

  @ParameterizedTest
  @EnumSource
  void machineInAnotherProcess_isNotShutDownToMakeRoom(Custody custody) {
    var machine = new FakeRunningMachine();
    try (var guest = new SessionGuest(machine, QmpAddress.parse("/run/vm.qmp"))) {
      guest.makeRoom(custody);
      assertThat(machine.closed()).isZero();
      assertThat(guest.fate()).isNull();
      assertThat(guest.isRunning()).isTrue();
    }
  }

  @Test
  void machineInAnotherProcess_tellsHowItsWritesAreFound() {
    var machine = new FakeRunningMachine();
    machine.track(new Tracking("comparing", "nothing else works here", 3, 2_500_000, 1_000_000));
    try (var guest = new SessionGuest(machine, QmpAddress.parse("/run/vm.qmp"))) {
      assertThat(guest.machine())
          .contains(
              new MigrationReport.Machine(
                  "QEMU 4711",
                  "unix:/run/vm.qmp",
                  new MigrationReport.DirtyLog("comparing", "nothing else works here", 3, 2.5, 1)));
    }
  }

  @Test
  void guestInDoubt_isKept() throws Exception {
    Guest running = new Guests().boot(SETTINGS, () -> {}, _ -> {});
    try (var guest = new SessionGuest(running)) {
      guest.makeRoom(Custody.IN_DOUBT);
      assertThat(guest.isRunning()).isTrue();
      assertThat(guest.fate()).isNull();
    }
  }
}
