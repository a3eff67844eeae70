// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;

/** The modes of a migration, and a small guest for it with two rounds before the switch-over. */
enum MigrationMode {
  DYNAMIC(false, true),
  PIN_ALL(true, true),
  WITHOUT_EXTENSIONS(false, false);

  static final long[] LENGTHS = {(2 << 20) + RamBlock.PAGE_SIZE, RamBlock.PAGE_SIZE, 1 << 20};

  final boolean pinAll;
  final boolean extensions;

  MigrationMode(boolean pinAll, boolean extensions) {
    this.pinAll = pinAll;
    this.extensions = extensions;
  }

  /** A guest with zeros and other pages in each round. */
  static BlockGuest guest() {
    var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
    return guest.onSync(sync -> {
      if (sync != 2) {
        guest.write(0, (long) sync * RamBlock.PAGE_SIZE, (byte) sync);
        guest.write(2, 7 * RamBlock.PAGE_SIZE, (byte) sync);
      }
    });
  }

  SourceSession source(Rig rig, BlockGuest guest) {
    return rig.source(guest, Rig.parameters(pinAll, extensions, Duration.ofNanos(1)));
  }

  DestinationSession destination(Rig rig, BlockGuest copy) {
    return rig.destination(copy, Rig.parameters(false, extensions));
  }

  /** Number of work requests that a device executes in a migration without faults. */
  long requests(Role role) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest);
      var destination = destination(rig, copy);
      rig.run(source, destination);
      assertThat(copy.isRunning()).as(source.outcome()).isTrue();
      var metrics = (role == Role.SOURCE ? source : destination).telemetry().metrics();
      return metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
    }
  }

  /** A description of a case and of how it ended. */
  static String describe(Object test, SourceSession source, DestinationSession destination) {
    return "%s%nsource %s: %s%ndestination %s: %s"
        .formatted(
            test,
            source.telemetry().status(),
            source.outcome(),
            destination.telemetry().status(),
            destination.outcome());
  }

  /** Checks that exactly one of both guests runs; whether it is the copy. */
  static boolean assertOneRuns(
      String what,
      BlockGuest guest,
      SourceSession source,
      BlockGuest copy,
      DestinationSession destination) {
    assertThat(source.telemetry().status()).as(what).isNotEqualTo(MigrationStatus.UNDECIDED);
    assertThat(guest.isRunning()).as("%s%nexactly one runs", what).isNotEqualTo(copy.isRunning());
    if (copy.isRunning()) {
      assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
      assertThat(source.telemetry().status()).as(what).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(destination.telemetry().status()).as(what).isEqualTo(MigrationStatus.COMPLETED);
    }
    return copy.isRunning();
  }

  /** Checks that the source can migrate its guest after a failure. */
  static void assertMigratesAgain(String what, Rig rig, BlockGuest guest) throws Exception {
    rig.listenAgain();
    try (var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      assertThat(copy.isRunning()).as("%s%nthen %s", what, source.outcome()).isTrue();
      assertThat(guest.isRunning()).as("%s%nthen %s", what, source.outcome()).isFalse();
      assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
    }
  }
}
