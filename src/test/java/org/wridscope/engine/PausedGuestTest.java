// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.SyntheticGuest;
import org.wridscope.guest.SyntheticGuestConfig;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** Guests that their operators stop and let run, before, during and after a migration. */
@Slow("guests that write while they are migrated, in real time")
final class PausedGuestTest {
  private static final long[] LENGTHS = MigrationMode.LENGTHS;

  @ParameterizedTest
  @EnumSource
  void aStoppedGuest_arrivesStopped_andRunsThere(MigrationMode mode) throws Exception {
    try (var rig = new Rig();
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(LENGTHS)) {
      assertThat(guest.runControl().stop()).isTrue();
      var source = mode.source(rig, guest);
      var destination = mode.destination(rig, copy);
      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(guest.isRunning()).isFalse();
      assertThat(copy.isRunning()).isFalse();
      assertThat(copy.resumes()).isZero();
      assertThat(copy.hasEqualRam(guest)).isTrue();
      assertThat(destination.outcome()).startsWith("The guest is here, paused.");
      if (mode.extensions) {
        assertThat(source.outcome()).startsWith("The guest is paused at the destination.");
        assertThat(source.verified()).isTrue();
      }
      assertThatThrownBy(() -> guest.runControl().proceed())
          .isInstanceOf(GuestException.class)
          .hasMessageStartingWith("The destination has the guest, or may have it");
      assertThat(copy.runControl().proceed()).isTrue();
      assertThat(copy.isRunning()).isTrue();
    }
  }

  @Test
  void aGuest_thatIsStoppedWhileItMigrates_arrivesStopped() throws Exception {
    try (var rig = new Rig().monitored();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS)) {
      guest.onSync(sync -> {
        if (sync == 1) {
          try {
            assertThat(guest.runControl().stop()).isTrue();
          } catch (GuestException e) {
            throw new IllegalStateException(e);
          }
        }
      });
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertThat(copy.isRunning()).isFalse();
      assertThat(source.outcome()).startsWith("The guest is paused at the destination.");
    }
  }

  @Test
  void aGuest_arrivesStopped_ifThatIsWantedThere_andWantedNoMoreIsForgotten() throws Exception {
    for (boolean wanted : new boolean[] {false, true}) {
      try (var rig = new Rig();
          var guest = MigrationMode.guest();
          var copy = BlockGuest.of(LENGTHS)) {
        var source = rig.source(guest, Rig.parameters(false, true));
        var destination = rig.destination(copy, Rig.parameters(false, true));
        assertThat(copy.runControl().stop()).isFalse();
        if (wanted) {
          assertThat(copy.runControl().proceed()).isFalse();
        }
        assertThat(copy.isRunning()).isFalse();
        rig.run(source, destination);

        Rig.assertCompleted(source, destination);
        assertThat(copy.isRunning()).isEqualTo(wanted);
        assertThat(guest.isRunning()).isFalse();
      }
    }
  }

  @Test
  void aStoppedGuest_staysStopped_whenItsMigrationFails_andRunsAgain() throws Exception {
    try (var rig = new Rig();
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(LENGTHS).failingIn(BlockGuest.Call.LOAD)) {
      assertThat(guest.runControl().stop()).isTrue();
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Rig.join(rig.start(source), source);
      there.join(Rig.END);

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome()).endsWith("The guest is paused here, as it was before.");
      assertThat(source.custody()).isEqualTo(Custody.HERE);
      assertThat(guest.isRunning()).isFalse();
      assertThatThrownBy(() -> copy.runControl().proceed())
          .hasMessage("The guest has not arrived here, and will not.");
      assertThat(guest.runControl().proceed()).isTrue();
      assertThat(guest.isRunning()).isTrue();
      MigrationMode.assertMigratesAgain("after a failure while it was stopped", rig, guest);
    }
  }

  @Test
  void aStoppedGuest_staysStopped_whenItsMigrationIsCancelled() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS)) {
      assertThat(guest.runControl().stop()).isTrue();
      var source = rig.source(guest, Rig.parameters(false, true));
      guest.onSync(_ -> source.cancel());
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(guest.isRunning()).isFalse();
      assertThat(guest.runControl().proceed()).isTrue();
      assertThat(guest.isRunning()).isTrue();
    }
  }

  /** A device fails at this request of the source. */
  private record Case(Role device, long request) {}

  @TestFactory
  Stream<DynamicTest> oneEndAtMost_canLetAStoppedGuestRun_whicheverRequestFails() {
    var cases = new ArrayList<Case>();
    for (Role role : Role.values()) {
      for (long request = 0; request < 40; request++) {
        cases.add(new Case(role, request));
      }
    }
    return Concurrently.tests(cases, PausedGuestTest::tearOut);
  }

  private static void tearOut(Case test) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(1 << 20).boot(1, 0.3);
        var copy = BlockGuest.of(1 << 20)) {
      assertThat(guest.runControl().stop()).isTrue();
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      rig.tearOut(test.device, test.request);

      rig.run(source, destination);

      String what = source.outcome() + ", " + destination.outcome();
      assertThat(guest.isRunning() || copy.isRunning()).as(what).isFalse();
      boolean here = canRun(guest);
      boolean there = canRun(copy);
      assertThat(here && there).as("both run: %s", what).isFalse();
      assertThat(here || there)
          .as("one can run: %s", what)
          .isEqualTo(there || source.telemetry().status() != MigrationStatus.UNDECIDED);
    }
  }

  private static boolean canRun(BlockGuest guest) {
    try {
      return guest.runControl().proceed();
    } catch (GuestException e) {
      return false;
    }
  }

  /** With its threads and its virtio devices, none of whose writes may be lost. */
  @Test
  void aGuest_thatIsStoppedAndContinuedAllTheTime_isWhole() throws Exception {
    var config = SyntheticGuestConfig.of(16 << 20, 2 << 20, 4 << 20, 0.3, 7);
    try (var rig = new Rig().monitored();
        var guest = SyntheticGuest.boot(config);
        var copy = SyntheticGuest.incoming(config)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      var migrated = new AtomicBoolean();
      Thread operator =
          Thread.ofPlatform()
              .start(() -> {
                while (!migrated.get()) {
                  toggle(guest);
                  toggle(copy);
                }
              });
      rig.run(source, destination);
      migrated.set(true);
      operator.join();

      Rig.assertCompleted(source, destination);
      assertThat(source.verified()).as(source.outcome()).isTrue();
      var _ = copy.runControl().stop();
      assertThat(copy.checkConsistency()).isEmpty();
      assertThat(guest.isRunning()).isFalse();
    }
  }

  private static void toggle(SyntheticGuest guest) {
    try {
      var _ = guest.runControl().stop();
      var _ = guest.runControl().proceed();
    } catch (GuestException e) {
      // It is on its way.
      Thread.onSpinWait();
    }
  }
}
