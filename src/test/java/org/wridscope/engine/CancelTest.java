// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** The user cancels, at either end and at any moment. */
class CancelTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {2 * MIB + PAGE, PAGE, MIB};

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

  /** One end is cancelled when the n-th work request of a device is executed. */
  private record Case(Mode mode, Role cancelled, Role device, long request) {}

  @Test
  void oneGuestRuns_whenASessionIsCancelledAtAnyRequest() throws Exception {
    var cases = new ArrayList<Case>();
    for (Mode mode : Mode.values()) {
      for (Role device : Role.values()) {
        for (long request = 0; request < requests(mode, device); request++) {
          cases.add(new Case(mode, Role.SOURCE, device, request));
          // Without our extensions the source hears of no cancel once it has sent everything.
          if (mode.extensions) {
            cases.add(new Case(mode, Role.DESTINATION, device, request));
          }
        }
      }
    }
    Concurrently.forEach(cases, CancelTest::check);
  }

  private static long requests(Mode mode, Role role) throws Exception {
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest, mode);
      var destination = rig.destination(copy, Rig.parameters(false, mode.extensions));
      rig.run(source, destination);
      var metrics = (role == Role.SOURCE ? source : destination).telemetry().metrics();
      return metrics.get(Metric.WRITES_POSTED) + metrics.get(Metric.SENDS_POSTED);
    }
  }

  private static BlockGuest guest() {
    var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
    return guest.onSync(sync -> {
      if (sync != 2) {
        guest.write(0, sync * PAGE, (byte) sync);
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
      MigrationSession cancelled = test.cancelled == Role.SOURCE ? source : destination;
      FaultPlan plan =
          (queuePairNumber, ordinal, opcode, workRequestId) -> {
            if (ordinal == test.request) {
              cancelled.cancel();
              // Long enough for the session to look, short enough to be a network's delay.
              return new Fault.Delay(15_000_000);
            }
            return Fault.PROCEED;
          };
      var device = test.device == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
      device.setFaultPlan(plan);

      rig.run(source, destination);

      device.setFaultPlan(FaultPlan.NONE);
      assertOneRuns(test.toString(), rig, guest, source, copy, destination, cancelled);
    }
  }

  private static void assertOneRuns(
      String when,
      Rig rig,
      BlockGuest guest,
      SourceSession source,
      BlockGuest copy,
      DestinationSession destination,
      MigrationSession cancelled)
      throws Exception {
    String what =
        "%s%nsource %s: %s%ndestination %s: %s"
            .formatted(
                when,
                source.telemetry().status(),
                source.outcome(),
                destination.telemetry().status(),
                destination.outcome());
    assertThat(source.telemetry().status()).as(what).isNotEqualTo(MigrationStatus.UNDECIDED);
    assertThat(guest.isRunning()).as("%s%nexactly one runs", what).isNotEqualTo(copy.isRunning());
    if (copy.isRunning()) {
      assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
      assertThat(source.telemetry().status()).as(what).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(destination.telemetry().status()).as(what).isEqualTo(MigrationStatus.COMPLETED);
    } else {
      assertThat(cancelled.telemetry().status()).as(what).isEqualTo(MigrationStatus.CANCELLED);
      MigrationSession other = cancelled == source ? destination : source;
      assertThat(other.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
      rig.listenAgain();
      try (var next = BlockGuest.of(LENGTHS)) {
        var again = rig.source(guest, Rig.parameters(false, true));
        rig.run(again, rig.destination(next, Rig.parameters(false, true)));
        assertThat(next.isRunning()).as("%s%nthen %s", what, again.outcome()).isTrue();
        assertThat(next.hasEqualRam(guest)).as(what).isTrue();
      }
    }
  }

  @Test
  void oneGuestRuns_whenASessionIsCancelledAtARandomMoment() throws Exception {
    Concurrently.forEach(
        IntStream.range(0, 60).boxed().toList(), CancelTest::cancelAtARandomMoment);
  }

  private static void cancelAtARandomMoment(int seed) throws Exception {
    var random = new SplittableRandom(seed);
    Mode mode = Mode.values()[random.nextInt(Mode.values().length)];
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest, mode);
      var destination = rig.destination(copy, Rig.parameters(false, mode.extensions));
      MigrationSession cancelled = mode.extensions && random.nextBoolean() ? destination : source;
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      Thread.sleep(0, random.nextInt(0, 999_999));
      Thread.sleep(random.nextInt(0, 20));
      cancelled.cancel();
      Rig.join(here, source);
      if (cancelled == source && source.telemetry().status() == MigrationStatus.CANCELLED) {
        // It may not have got as far as connecting.
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
    long last = requests(Mode.WITHOUT_EXTENSIONS, Role.SOURCE) - 1;
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source = source(rig, guest, Mode.WITHOUT_EXTENSIONS);
      rig.sourceDevice.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
        if (ordinal != last) {
          return Fault.PROCEED;
        }
        source.cancel();
        return new Fault.Delay(30_000_000);
      });
      rig.run(source, rig.destination(copy, Rig.parameters(false, false)));
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.COMPLETED);
      assertThat(guest.isRunning()).isFalse();
      assertThat(copy.isRunning()).isTrue();
    }
  }

  @Test
  void destinationEnds_whenItIsCancelledWhileItListens() throws Exception {
    try (var rig = new Rig();
        var copy = BlockGuest.of(LENGTHS)) {
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
