// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** A work request fails, or the cable is cut, at every step of a migration. */
class FaultTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {2 * MIB + PAGE, PAGE, MIB};

  /** How a request that did not succeed may end, and who is to blame for it. */
  private static final List<WorkCompletionStatus> STATUSES =
      List.of(
          WorkCompletionStatus.LOC_PROT_ERR,
          WorkCompletionStatus.WR_FLUSH_ERR,
          WorkCompletionStatus.REM_ACCESS_ERR,
          WorkCompletionStatus.REM_OP_ERR,
          WorkCompletionStatus.RETRY_EXC_ERR,
          WorkCompletionStatus.RNR_RETRY_EXC_ERR,
          WorkCompletionStatus.FATAL_ERR);

  /** What the two ends can be. */
  enum Mode {
    DYNAMIC(false, true),
    PIN_ALL(true, true),
    WITHOUT_EXTENSIONS(false, false);

    private final boolean pinAll;
    private final boolean extensions;

    Mode(boolean pinAll, boolean extensions) {
      this.pinAll = pinAll;
      this.extensions = extensions;
    }
  }

  /** A fault in the n-th work request of one device. */
  private record Case(Mode mode, Role role, long request, Fault fault) {}

  @Test
  void oneGuestRuns_whenTheCableIsCutAtAnyRequest() throws Exception {
    var cases = new ArrayList<Case>();
    for (Mode mode : Mode.values()) {
      for (Role role : Role.values()) {
        for (long request = 0; request < requests(mode, role); request++) {
          cases.add(new Case(mode, role, request, Fault.CUT));
        }
      }
    }
    Concurrently.forEach(cases, FaultTest::check);
  }

  @Test
  void oneGuestRuns_whenAnyRequestFails() throws Exception {
    var cases = new ArrayList<Case>();
    for (Mode mode : Mode.values()) {
      for (Role role : Role.values()) {
        for (long request = 0; request < requests(mode, role); request++) {
          // Each status at each step would say no more than each of them at every few.
          WorkCompletionStatus status = STATUSES.get((int) request % STATUSES.size());
          cases.add(new Case(mode, role, request, new Fault.Fail(status, 0)));
        }
      }
    }
    Concurrently.forEach(cases, FaultTest::check);
  }

  @Test
  void oneGuestRuns_whenTheSwitchOverFailsInAnyWay() throws Exception {
    var cases = new ArrayList<Case>();
    for (Role role : Role.values()) {
      long requests = requests(Mode.DYNAMIC, role);
      for (WorkCompletionStatus status : STATUSES) {
        for (long back = 1; back <= 4; back++) {
          cases.add(new Case(Mode.DYNAMIC, role, requests - back, new Fault.Fail(status, 0)));
        }
      }
    }
    Concurrently.forEach(cases, FaultTest::check);
  }

  @Test
  void migrationSucceeds_whenAnyRequestIsLate() throws Exception {
    var cases = new ArrayList<Case>();
    for (Role role : Role.values()) {
      for (long request = 0; request < requests(Mode.DYNAMIC, role); request++) {
        cases.add(new Case(Mode.DYNAMIC, role, request, new Fault.Delay(20_000_000)));
      }
    }
    Concurrently.forEach(cases, FaultTest::check);
  }

  /** How many work requests a device has to do in a migration to which nothing happens. */
  private static long requests(Mode mode, Role role) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest, mode);
      var destination = rig.destination(copy, Rig.parameters(false, mode.extensions));
      rig.run(source, destination);
      assertThat(copy.isRunning()).as(source.outcome()).isTrue();
      var metrics = (role == Role.SOURCE ? source : destination).telemetry().metrics();
      return metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
    }
  }

  /** Two rounds and the switch-over, each with zeros and others. */
  private static BlockGuest guest() {
    var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
    return guest.onSync(sync -> {
      if (sync != 2) {
        guest.write(0, sync * PAGE, (byte) sync);
        guest.write(2, 7 * PAGE, (byte) sync);
      }
    });
  }

  private static SourceSession source(Rig rig, BlockGuest guest, Mode mode) {
    return rig.source(guest, Rig.parameters(mode.pinAll, mode.extensions, Duration.ofNanos(1)));
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest, test.mode);
      var destination = rig.destination(copy, Rig.parameters(false, test.mode.extensions));
      var device = test.role == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
      device.setFaultPlan(FaultPlan.at(test.request, test.fault));

      rig.run(source, destination);

      device.setFaultPlan(FaultPlan.NONE);
      String what =
          "%s%nsource %s: %s%ndestination %s: %s"
              .formatted(
                  test,
                  source.telemetry().status(),
                  source.outcome(),
                  destination.telemetry().status(),
                  destination.outcome());
      assertThat(source.telemetry().status()).as(what).isNotEqualTo(MigrationStatus.UNDECIDED);
      assertThat(guest.isRunning()).as("%s%nexactly one runs", what).isNotEqualTo(copy.isRunning());
      assertThat(copy.guardsAreIntact()).as(what).isTrue();
      Rig.assertCustody(source.custody(), guest, copy);
      Rig.assertCustody(destination.custody(), copy, guest);
      if (test.fault instanceof Fault.Delay) {
        assertThat(copy.isRunning()).as(what).isTrue();
        assertThat(source.verified()).as(what).isTrue();
      }
      if (copy.isRunning()) {
        assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
        assertThat(source.telemetry().status()).as(what).isEqualTo(MigrationStatus.COMPLETED);
        assertThat(destination.telemetry().status()).as(what).isEqualTo(MigrationStatus.COMPLETED);
      } else {
        assertThat(source.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
        assertThat(destination.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
        assertMigratesAgain(what, rig, guest);
      }
    }
  }

  @Test
  void oneGuestRuns_whateverGoesWrongAtBothEnds() throws Exception {
    Map<Role, Long> requests = new EnumMap<>(Role.class);
    for (Role role : Role.values()) {
      requests.put(role, requests(Mode.DYNAMIC, role));
    }
    Concurrently.forEach(IntStream.range(0, 200).boxed().toList(), seed -> storm(seed, requests));
  }

  /** A fault or a cancel at a random step of each end, and late requests now and then. */
  private static void storm(int seed, Map<Role, Long> requests) throws Exception {
    var random = new SplittableRandom(seed);
    Mode mode = random.nextInt(3) == 0 ? Mode.PIN_ALL : Mode.DYNAMIC;
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest, mode);
      var destination = rig.destination(copy, Rig.parameters(false, true));
      rig.sourceDevice.setFaultPlan(
          plan(random.split(), requests.getOrDefault(Role.SOURCE, 0L), source));
      rig.destinationDevice.setFaultPlan(
          plan(random.split(), requests.getOrDefault(Role.DESTINATION, 0L), destination));

      rig.run(source, destination);

      String what = "seed %d: %s, %s".formatted(seed, source.outcome(), destination.outcome());
      assertThat(source.telemetry().status()).as(what).isNotEqualTo(MigrationStatus.UNDECIDED);
      assertThat(guest.isRunning()).as(what).isNotEqualTo(copy.isRunning());
      if (copy.isRunning()) {
        assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
      }
    }
  }

  private static FaultPlan plan(SplittableRandom random, long requests, MigrationSession session) {
    // Half of what happens does so around the switch-over.
    long fatal =
        random.nextBoolean() ? random.nextLong(requests) : requests - random.nextLong(1, 6);
    int kind = random.nextInt(4);
    WorkCompletionStatus status = STATUSES.get(random.nextInt(STATUSES.size()));
    return (queuePairNumber, ordinal, opcode, workRequestId) -> {
      if (ordinal == fatal) {
        switch (kind) {
          case 0 -> {
            return Fault.CUT;
          }
          case 1 -> {
            return new Fault.Fail(status, 1);
          }
          case 2 -> session.cancel();
          default -> {}
        }
      }
      return random.nextInt(8) == 0 ? new Fault.Delay(random.nextInt(15_000_000)) : Fault.PROCEED;
    };
  }

  private static void assertMigratesAgain(String what, Rig rig, BlockGuest guest) throws Exception {
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
