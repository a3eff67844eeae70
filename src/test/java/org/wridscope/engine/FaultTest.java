// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** A work request fails, or the cable is cut, at every step of a migration. */
@ExtendWith(UnderSchedule.class)
class FaultTest {
  /** Statuses of a request that failed, for which either side may be responsible. */
  private static final List<WorkCompletionStatus> STATUSES =
      List.of(
          WorkCompletionStatus.LOC_PROT_ERR,
          WorkCompletionStatus.WR_FLUSH_ERR,
          WorkCompletionStatus.REM_ACCESS_ERR,
          WorkCompletionStatus.REM_OP_ERR,
          WorkCompletionStatus.RETRY_EXC_ERR,
          WorkCompletionStatus.RNR_RETRY_EXC_ERR,
          WorkCompletionStatus.FATAL_ERR);

  /** A fault in the n-th work request of one device. */
  private record Case(MigrationMode mode, Role role, long request, Fault fault) {}

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenTheCableIsCutAtAnyRequest() throws Exception {
    var cases = new ArrayList<Case>();
    for (MigrationMode mode : MigrationMode.values()) {
      for (Role role : Role.values()) {
        long requests = mode.requests(role);
        for (long request = 0; request < requests; request++) {
          cases.add(new Case(mode, role, request, Fault.CUT));
        }
      }
    }
    return Concurrently.tests(cases, FaultTest::check);
  }

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenAnyRequestFails() throws Exception {
    var cases = new ArrayList<Case>();
    for (MigrationMode mode : MigrationMode.values()) {
      for (Role role : Role.values()) {
        long requests = mode.requests(role);
        for (long request = 0; request < requests; request++) {
          // Each status at each request would find no more than each one at every seventh.
          WorkCompletionStatus status = STATUSES.get((int) request % STATUSES.size());
          cases.add(new Case(mode, role, request, new Fault.Fail(status, 0)));
        }
      }
    }
    return Concurrently.tests(cases, FaultTest::check);
  }

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenTheSwitchOverFailsInAnyWay() throws Exception {
    var cases = new ArrayList<Case>();
    for (Role role : Role.values()) {
      long requests = MigrationMode.DYNAMIC.requests(role);
      for (WorkCompletionStatus status : STATUSES) {
        for (long back = 1; back <= 4; back++) {
          cases.add(
              new Case(MigrationMode.DYNAMIC, role, requests - back, new Fault.Fail(status, 0)));
        }
      }
    }
    return Concurrently.tests(cases, FaultTest::check);
  }

  @TestFactory
  Stream<DynamicTest> migrationSucceeds_whenAnyRequestIsLate() throws Exception {
    var cases = new ArrayList<Case>();
    for (Role role : Role.values()) {
      long requests = MigrationMode.DYNAMIC.requests(role);
      for (long request = 0; request < requests; request++) {
        cases.add(new Case(MigrationMode.DYNAMIC, role, request, new Fault.Delay(20_000_000)));
      }
    }
    return Concurrently.tests(cases, FaultTest::check);
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var source = test.mode.source(rig, guest);
      var destination = test.mode.destination(rig, copy);
      var device = test.role == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
      device.setFaultPlan(FaultPlan.at(test.request, test.fault));

      rig.run(source, destination);

      device.setFaultPlan(FaultPlan.NONE);
      String what = MigrationMode.describe(test, source, destination);
      boolean arrived = MigrationMode.assertOneRuns(what, guest, source, copy, destination);
      assertThat(copy.guardsAreIntact()).as(what).isTrue();
      Rig.assertCustody(source.custody(), guest, copy);
      Rig.assertCustody(destination.custody(), copy, guest);
      if (test.fault instanceof Fault.Delay) {
        assertThat(copy.isRunning()).as(what).isTrue();
        assertThat(source.verified()).as(what).isTrue();
      }
      if (!arrived) {
        assertThat(source.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
        assertThat(destination.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
        MigrationMode.assertMigratesAgain(what, rig, guest);
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whateverGoesWrongAtBothEnds() throws Exception {
    Map<Role, Long> requests = new EnumMap<>(Role.class);
    for (Role role : Role.values()) {
      requests.put(role, MigrationMode.DYNAMIC.requests(role));
    }
    return Concurrently.tests(
        IntStream.range(0, 200).boxed().toList(), seed -> storm(seed, requests));
  }

  /** A fault or a cancel at a random request of each end, and some late requests. */
  private static void storm(int seed, Map<Role, Long> requests) throws Exception {
    var random = new SplittableRandom(seed);
    MigrationMode mode = random.nextInt(3) == 0 ? MigrationMode.PIN_ALL : MigrationMode.DYNAMIC;
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var source = mode.source(rig, guest);
      var destination = mode.destination(rig, copy);
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
    // Half of the faults are near the switch-over.
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
}
