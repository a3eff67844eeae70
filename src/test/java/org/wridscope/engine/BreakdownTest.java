// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.time.Time;
import org.wridscope.verbs.soft.Fault;

/** Guests and devices that fail during a migration. */
@ExtendWith(UnderSchedule.class)
class BreakdownTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long[] LENGTHS = {(1 << 20) + PAGE, 2 * PAGE};

  @ParameterizedTest
  @EnumSource(
      value = BlockGuest.Call.class,
      names = {"PAUSE", "SAVE", "DIGEST"})
  void guestGoesOnAtTheSource_whenItFailsThere(BlockGuest.Call call) throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3).failingIn(call);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Time.join(rig.start(source));
      Rig.join(there, destination);

      assertThat(destination.outcome())
          .isEqualTo(
              "The source gave up: It made an error; see what it reports itself."
                  + " The guest was not started here.");
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .isEqualTo(
              "This program made an error: java.lang.IllegalArgumentException: it fails in "
                  + call
                  + ". The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(copy.isRunning()).isFalse();
    }
  }

  @Test
  void guestGoesOnAtTheSource_whenItCannotBeStartedAtTheDestination() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS).failingIn(BlockGuest.Call.RESUME)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Rig.join(rig.start(source), source);
      Time.join(there);

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .isEqualTo(
              "The destination gave up: It made an error; see what it reports itself."
                  + " The destination says that it did not start the guest."
                  + " The guest keeps running at the source.");
      assertThat(guest.isRunning()).isTrue();
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(copy.isRunning()).isFalse();
    }
  }

  @Test
  void sourceEnds_whenItsGuestCannotBeResumed() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS).failingIn(BlockGuest.Call.LOAD)) {
      var source = rig.source(guest.failingIn(BlockGuest.Call.RESUME), Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Time.join(rig.start(source));
      Rig.join(there, destination);

      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .contains("cannot be loaded", "This program made an error", "it fails in RESUME.");
    }
  }

  /** As on a machine whose processors are busy. */
  @Test
  void theReason_reachesTheSource_evenIfTheDeviceIsSlowToSendIt() throws Exception {
    long[] sends = {Long.MAX_VALUE};
    for (int run = 0; run < 2; run++) {
      try (var rig = new Rig();
          var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
          var copy = BlockGuest.of(LENGTHS).failingIn(BlockGuest.Call.LOAD)) {
        var source = rig.source(guest, Rig.parameters(false, true));
        var destination = rig.destination(copy, Rig.parameters(false, true));
        rig.destinationDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) ->
            ordinal < sends[0] ? Fault.PROCEED : new Fault.Delay(400_000_000));
        Thread there = rig.start(destination);
        Rig.join(rig.start(source), source);
        Time.join(there);
        // The last one is ERROR.
        sends[0] = destination.telemetry().metrics().get(Metric.SENDS_POSTED) - 1;

        assertThat(source.outcome())
            .startsWith("The destination gave up: The state of device 'block-guest' cannot");
      }
    }
  }

  @Test
  void destinationSaysSo_whenTheGuestCannotBeKept() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS).failingIn(BlockGuest.Call.COMMIT)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      assertThat(source.verified()).as(source.outcome()).isTrue();
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome()).isEqualTo("It fails in COMMIT. The guest runs here.");
      assertThat(copy.isRunning()).isTrue();
    }
  }

  @Test
  void guestStandsStill_whenTheDestinationDiesAsItIsToldToStart() throws Exception {
    long switchOver = requests() - 2;
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      rig.sourceDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
        if (ordinal != switchOver) {
          return Fault.PROCEED;
        }
        Time.start("tear-out", rig.destinationDevice::fail);
        return new Fault.Delay(50_000_000);
      });

      rig.run(source, destination);

      assertThat(source.telemetry().status())
          .as(source.outcome())
          .isEqualTo(MigrationStatus.UNDECIDED);
      assertThat(source.outcome()).endsWith("check the destination before you start it again.");
      assertThat(guest.isRunning()).isFalse();
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(copy.isRunning()).isFalse();
    }
  }

  private static long requests() throws Exception {
    try (var rig = new Rig();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      rig.run(source, rig.destination(copy, Rig.parameters(false, true)));
      var metrics = source.telemetry().metrics();
      return metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
    }
  }

  /** A device fails at this request of the source. */
  private record Case(Role device, long request) {}

  @TestFactory
  Stream<DynamicTest> neverBothRun_whenADeviceFailsAtAnyRequest() throws Exception {
    var cases = new ArrayList<Case>();
    long requests = requests();
    for (Role role : Role.values()) {
      for (long request = 0; request < requests; request++) {
        cases.add(new Case(role, request));
      }
    }
    return Concurrently.tests(cases, BreakdownTest::tearOut);
  }

  private static void tearOut(Case test) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY);
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      rig.tearOut(test.device, test.request);

      rig.run(source, destination);

      String what = source.outcome() + ", " + destination.outcome();
      assertThat(guest.isRunning() && copy.isRunning()).as(what).isFalse();
      assertThat(guest.isRunning() || copy.isRunning())
          .as(what)
          .isEqualTo(source.telemetry().status() != MigrationStatus.UNDECIDED || copy.isRunning());
    }
  }
}
