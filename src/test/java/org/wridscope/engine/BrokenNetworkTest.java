// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.Slow;
import org.wridscope.account.Account;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;

/** The network between two hosts breaks down at any byte of a migration. */
@Slow("broken connections over TCP, in real time")
@ExtendWith(OverTcp.class)
final class BrokenNetworkTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {2 * MIB + PAGE, PAGE, MIB};

  /** More bytes than a migration has. */
  private static final long ALL = 3 * MIB;

  private record Case(Proxy.Breakdown breakdown, boolean pinAll, long bytes) {}

  private static BlockGuest guest() {
    var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
    return guest.onSync(sync -> {
      if (sync != 2) {
        guest.write(0, sync * PAGE, (byte) sync);
      }
    });
  }

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenTheConnectionIsClosedAfterAnyByte() throws Exception {
    var random = new SplittableRandom(3);
    var cases = new ArrayList<Case>();
    for (int i = 0; i < 150; i++) {
      // A third of them among the first or last bytes, where most messages are.
      long bytes = i % 3 == 0 ? random.nextLong(3_000) : ALL / (i % 3) - random.nextLong(ALL / 2);
      cases.add(new Case(Proxy.Breakdown.CLOSE, i % 2 == 0, bytes));
    }
    return Concurrently.tests(cases, BrokenNetworkTest::check);
  }

  /** Each case lasts until the devices have noticed. */
  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenTheNetworkFallsSilent() throws Exception {
    var random = new SplittableRandom(4);
    var cases = new ArrayList<Case>();
    for (int i = 0; i < 16; i++) {
      cases.add(new Case(Proxy.Breakdown.FALL_SILENT, i % 2 == 0, 500 + random.nextLong(2 * MIB)));
    }
    return Concurrently.tests(cases, BrokenNetworkTest::check);
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var proxy = new Proxy(rig.address(), test.breakdown, test.bytes);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, proxy, guest, test.pinAll);
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Rig.join(rig.start(source), source);
      if (source.telemetry().status() == MigrationStatus.FAILED) {
        // The destination may not have been reached.
        destination.cancel();
      }
      Rig.join(there, destination);

      String what =
          "%s%nsource: %s%ndestination: %s"
              .formatted(test, source.outcome(), destination.outcome());
      assertThat(guest.isRunning() && copy.isRunning()).as(what).isFalse();
      assertThat(copy.guardsAreIntact()).as(what).isTrue();
      if (copy.isRunning()) {
        assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
      } else if (test.breakdown == Proxy.Breakdown.CLOSE) {
        assertThat(guest.isRunning()).as(what).isTrue();
      }
    }
  }

  private static SourceSession source(Rig rig, Proxy proxy, BlockGuest guest, boolean pinAll)
      throws IOException {
    return new SourceSession(
        rig.sourceDevice,
        proxy.address(),
        guest,
        Rig.parameters(pinAll, true, Duration.ofNanos(1)),
        new SessionTelemetry(Role.SOURCE, false, Account::new),
        Rig.SHORT_INQUIRY);
  }
}
