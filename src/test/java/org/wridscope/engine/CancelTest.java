// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.time.Time;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** The user cancels, at either end and at any moment. */
@ExtendWith(UnderSchedule.class)
class CancelTest {
  /** One end is cancelled when the n-th work request of a device is executed. */
  private record Case(MigrationMode mode, Role cancelled, Role device, long request) {}

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenASessionIsCancelledAtAnyRequest() throws Exception {
    var cases = new ArrayList<Case>();
    for (MigrationMode mode : MigrationMode.values()) {
      for (Role device : Role.values()) {
        long requests = mode.requests(device);
        for (long request = 0; request < requests; request++) {
          cases.add(new Case(mode, Role.SOURCE, device, request));
          // Without extensions the source does not notice a cancel once it has sent everything.
          if (mode.extensions) {
            cases.add(new Case(mode, Role.DESTINATION, device, request));
          }
        }
      }
    }
    return Concurrently.tests(cases, CancelTest::check);
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var source = test.mode.source(rig, guest);
      var destination = test.mode.destination(rig, copy);
      MigrationSession cancelled = test.cancelled == Role.SOURCE ? source : destination;
      FaultPlan plan =
          (queuePairNumber, ordinal, opcode, workRequestId) -> {
            if (ordinal == test.request) {
              cancelled.cancel();
              // Long enough for the session to notice, and short enough for a network's delay.
              return new Fault.Delay(15_000_000);
            }
            return Fault.PROCEED;
          };
      var device = test.device == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
      device.setFaultPlan(plan);

      rig.run(source, destination);

      device.setFaultPlan(FaultPlan.NONE);
      String what = MigrationMode.describe(test, source, destination);
      if (!MigrationMode.assertOneRuns(what, guest, source, copy, destination)) {
        assertThat(cancelled.telemetry().status()).as(what).isEqualTo(MigrationStatus.CANCELLED);
        MigrationSession other = cancelled == source ? destination : source;
        assertThat(other.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
        MigrationMode.assertMigratesAgain(what, rig, guest);
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_whenASessionIsCancelledAtARandomMoment() {
    return Concurrently.tests(
        IntStream.range(0, 60).boxed().toList(), CancelTest::cancelAtARandomMoment);
  }

  private static void cancelAtARandomMoment(int seed) throws Exception {
    var random = new SplittableRandom(seed);
    MigrationMode mode = MigrationMode.values()[random.nextInt(MigrationMode.values().length)];
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var source = mode.source(rig, guest);
      var destination = mode.destination(rig, copy);
      MigrationSession cancelled = mode.extensions && random.nextBoolean() ? destination : source;
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      Time.sleep(Duration.ofNanos(random.nextLong(0, 20_000_000)));
      cancelled.cancel();
      Rig.join(here, source);
      if (cancelled == source && source.telemetry().status() == MigrationStatus.CANCELLED) {
        // It may not have connected yet.
        destination.cancel();
      }
      Rig.join(there, destination);
      assertThat(guest.isRunning())
          .as("seed %d: %s, %s", seed, source.outcome(), destination.outcome())
          .isNotEqualTo(copy.isRunning());
    }
  }

  @Test
  void cancelIsTooLate_onceTheLastMessageIsOut_withoutExtensions() throws Exception {
    long last = MigrationMode.WITHOUT_EXTENSIONS.requests(Role.SOURCE) - 1;
    try (var rig = new Rig();
        var guest = MigrationMode.guest();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var source = MigrationMode.WITHOUT_EXTENSIONS.source(rig, guest);
      rig.sourceDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
        if (ordinal != last) {
          return Fault.PROCEED;
        }
        source.cancel();
        return new Fault.Delay(30_000_000);
      });
      rig.run(source, MigrationMode.WITHOUT_EXTENSIONS.destination(rig, copy));
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(guest.isRunning()).isFalse();
      assertThat(copy.isRunning()).isTrue();
    }
  }

  @Test
  void destinationEnds_whenItIsCancelledWhileItListens() throws Exception {
    try (var rig = new Rig();
        var copy = BlockGuest.of(MigrationMode.LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      destination.cancel();
      Rig.join(there, destination);
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.CANCELLED);
      assertThat(destination.outcome())
          .isEqualTo("The migration was cancelled. The guest was not started here.");
    }
  }
}
