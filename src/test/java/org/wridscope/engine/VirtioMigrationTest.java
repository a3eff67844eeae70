// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.Slow;
import org.wridscope.guest.SyntheticGuest;
import org.wridscope.guest.SyntheticGuestConfig;
import org.wridscope.guest.virtio.QueueSnapshot;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.telemetry.MigrationStatus;

/** Whole migrations of a guest whose virtio devices are busy. */
@Slow("guests with requests in flight, in real time")
class VirtioMigrationTest {
  private static final long MIB = 1 << 20;

  private static SyntheticGuestConfig config(VirtioFault fault) {
    return SyntheticGuestConfig.of(16 * MIB, 16 * MIB, 4 * MIB, 0.4, 11)
        .withVirtio(new VirtioLoad(5000, 100, 400), VirtioVariant.of(fault));
  }

  private static long completed(SyntheticGuest guest) {
    return guest.virtio().orElseThrow().queues().stream().mapToLong(QueueSnapshot::completed).sum();
  }

  private static void awaitRequests(SyntheticGuest guest, long count) {
    long goal = completed(guest) + count;
    long deadline = System.nanoTime() + Rig.END.toNanos();
    while (completed(guest) < goal) {
      assertThat(System.nanoTime()).as("requests completed in time").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** Waits until a driver has met what the check has predicted. */
  private static void awaitHarm(SyntheticGuest guest) {
    long deadline = System.nanoTime() + Rig.END.toNanos();
    while (guest.virtio().orElseThrow().observed().isEmpty()) {
      assertThat(System.nanoTime()).as("harm met in time").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void devicesGoOnAtTheDestination_againAndAgain() throws Exception {
    SyntheticGuestConfig config = config(VirtioFault.NONE);
    SyntheticGuest guest = SyntheticGuest.boot(config);
    try {
      for (int i = 0; i < 4; i++) {
        try (var rig = new Rig();
            var here = guest) {
          var there = SyntheticGuest.incoming(config);
          guest = there;
          awaitRequests(here, 300);
          var source = rig.source(here, Rig.parameters(i % 2 == 0, true, Duration.ofSeconds(1)));
          var destination = rig.destination(there, Rig.parameters(false, true));
          rig.run(source, destination);
          assertThat(destination.telemetry().status())
              .as(destination.outcome())
              .isEqualTo(MigrationStatus.COMPLETED);
          assertThat(source.verified()).isTrue();
          assertThat(here.checkConsistency()).isEmpty();
          assertThat(completed(there)).isGreaterThanOrEqualTo(completed(here));
          awaitRequests(there, 300);
          there.pause();
          assertThat(there.checkConsistency()).as("after migration %d", i).isEmpty();
          there.resume();
        }
      }
    } finally {
      guest.close();
    }
  }

  @Test
  void devicesGoOnAtTheSource_afterTheDestinationRefused() throws Exception {
    SyntheticGuestConfig config = config(VirtioFault.NONE);
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = SyntheticGuest.boot(config);
        // The indices in its state are 0, unlike those of the rings.
        var faulty =
            SyntheticGuest.boot(
                config.withVirtio(
                    new VirtioLoad(5000, 0, 0),
                    VirtioVariant.of(VirtioFault.INDEX_CLEARED_BEFORE_READ)));
        var there = SyntheticGuest.incoming(config)) {
      awaitRequests(faulty, 500);
      var source = rig.source(faulty, Rig.parameters(false, true, Duration.ofSeconds(1)));
      var destination = rig.destination(there, Rig.parameters(false, true));
      rig.run(source, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome())
          .startsWith("The state of device 'virtio-")
          .contains("last available index 0: the driver's is ");
      assertThat(there.isRunning()).isFalse();
      assertThat(faulty.isRunning()).isTrue();
      faulty.pause();
      assertThat(faulty.checkConsistency().orElseThrow()).startsWith("virtio-");

      rig.listenAgain();
      awaitRequests(guest, 300);
      try (var other = BlockGuest.of(MIB)) {
        rig.run(
            rig.source(guest, Rig.parameters(false, true)),
            rig.destination(other, Rig.parameters(false, true)));
      }
      awaitRequests(guest, 300);
      guest.pause();
      assertThat(guest.checkConsistency()).isEmpty();
    }
  }

  /** A wrong device is found at the end where the guest continues, at any moment. */
  @ParameterizedTest
  @EnumSource(
      value = VirtioFault.class,
      names = {"INDEX_CLEARED_BEFORE_READ", "USED_INDEX_NOT_RESTORED", "IN_FLIGHT_FORGOTTEN"})
  void wrongDevices_areFoundAfterAnyMigration(VirtioFault fault) throws Exception {
    var random = new SplittableRandom(fault.ordinal());
    for (int i = 0; i < 5; i++) {
      // Only the migration stops the devices.
      SyntheticGuestConfig config =
          config(fault).withVirtio(VirtioLoad.showing(fault, 20_000), VirtioVariant.of(fault));
      try (var rig = new Rig();
          var here = SyntheticGuest.boot(config);
          var there = SyntheticGuest.incoming(config)) {
        awaitRequests(here, 40 + random.nextInt(400));
        var source = rig.source(here, Rig.parameters(random.nextBoolean(), true));
        rig.run(source, rig.destination(there, Rig.parameters(false, true)));
        SyntheticGuest heir = there.isRunning() ? there : here;
        awaitHarm(heir);
        heir.pause();
        assertThat(heir.virtio().orElseThrow().predicted()).as("round %d", i).isPresent();
        assertThat(heir.checkConsistency().orElseThrow())
            .matches("virtio-(blk|net) \\S+: request \\d+ .*\\.");
      }
    }
  }

  @Test
  void aDestinationThatForgetsRequests_isFoundOutByTheDrivers() throws Exception {
    try (var rig = new Rig();
        var guest = SyntheticGuest.boot(config(VirtioFault.NONE));
        var there = SyntheticGuest.incoming(config(VirtioFault.USED_INDEX_NOT_RESTORED))) {
      awaitRequests(guest, 300);
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofSeconds(1)));
      rig.run(source, rig.destination(there, Rig.parameters(false, true)));
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      awaitHarm(there);
      there.pause();
      assertThat(there.virtio().orElseThrow().predicted()).isPresent();
      assertThat(there.checkConsistency().orElseThrow())
          .matches("virtio-(blk|net) \\S+: request \\d+ .*\\.");
      assertThat(guest.checkConsistency()).isEmpty();
    }
  }
}
