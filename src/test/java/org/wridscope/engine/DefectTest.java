// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.wridscope.account.Account;
import org.wridscope.memory.RamBlock;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;

/** Methods of a device throw unexpected exceptions at every step of a migration. */
@ExtendWith(UnderSchedule.class)
class DefectTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {2 * MIB + PAGE, PAGE};
  private static final String MESSAGE = "a defect of the test";

  /** Calls of a method that is called in a loop, besides the first ones. */
  private static final List<Integer> SOME_CALLS = List.of(5, 20, 50, 100, 200);

  /** Methods that a session does not call, or that only a test calls. */
  private static final List<String> LEFT_OUT =
      List.of("RdmaDevice.nextAsyncEvent", "RdmaDevice.name", "RdmaDevice.capabilities");

  /**
   * One method of one end's device throws.
   *
   * @param call number of the first call that throws
   * @param onwards whether each later call throws, too
   * @param error whether it is an {@link Error}
   */
  private record Case(Role role, String method, int call, boolean onwards, boolean error) {
    @Nullable Throwable at(String called, int calls) {
      boolean throwing = called.equals(method) && (onwards ? calls >= call : calls == call);
      if (!throwing) {
        return null;
      }
      return error ? new LinkageError(MESSAGE) : new IllegalStateException(MESSAGE);
    }
  }

  /** The result of a migration. */
  private record Run(
      SourceSession source, DestinationSession destination, boolean there, boolean here) {
    String text() {
      return "source %s: %s%ndestination %s: %s"
          .formatted(
              source.telemetry().status(),
              source.outcome(),
              destination.telemetry().status(),
              destination.outcome());
    }

    MigrationSession session(Role role) {
      return role == Role.SOURCE ? source : destination;
    }
  }

  @TestFactory
  Stream<DynamicTest> oneGuestRuns_andBothSessionsEnd_whateverIsThrown() throws Exception {
    return Concurrently.tests(
        cases(false),
        test -> {
          Run run = run(test.role, new DefectiveDevice(test::at));
          String what = "%s%n%s".formatted(test, run.text());
          assertThat(run.here).as(what).isNotEqualTo(run.there);
          MigrationSession session = run.session(test.role);
          if (session.telemetry().status() != MigrationStatus.COMPLETED) {
            assertThat(session.outcome()).as(what).contains(MESSAGE);
          }
          if (run.there) {
            assertThat(run.source.telemetry().status())
                .as(what)
                .isEqualTo(MigrationStatus.COMPLETED);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> noTwoGuestsRun_andBothSessionsEnd_whenADeviceKeepsThrowing()
      throws Exception {
    return Concurrently.tests(
        cases(true),
        test -> {
          Run run = run(test.role, new DefectiveDevice(test::at));
          String what = "%s%n%s".formatted(test, run.text());
          if (run.source.telemetry().status() == MigrationStatus.UNDECIDED) {
            assertThat(run.here).as(what).isFalse();
          } else {
            assertThat(run.here).as(what).isNotEqualTo(run.there);
          }
        });
  }

  /** Each of the first calls of a method, and some of the others. */
  private static List<Case> cases(boolean onwards) throws Exception {
    var cases = new ArrayList<Case>();
    for (Role role : Role.values()) {
      var counting = new DefectiveDevice((method, call) -> null);
      Run run = run(role, counting);
      assertThat(run.there).as(run.text()).isTrue();
      Map<String, Integer> calls = new TreeMap<>();
      counting.calls().forEach((method, count) -> calls.put(method, count.get()));
      calls.keySet().removeAll(LEFT_OUT);
      assertThat(calls)
          .containsKeys("QueuePair.postSend", "CompletionQueue.poll", "MemoryRegion.close");
      for (var method : calls.entrySet()) {
        for (int call : onwards ? List.of(0) : calls(method.getValue())) {
          cases.add(new Case(role, method.getKey(), call, onwards, call % 2 == 1));
        }
      }
    }
    return cases;
  }

  private static Set<Integer> calls(int count) {
    var calls = new TreeSet<Integer>(SOME_CALLS);
    calls.addAll(List.of(0, 1, 2, 3, count / 2));
    if (count < SOME_CALLS.getLast()) {
      calls.addAll(List.of(count - 3, count - 2, count - 1));
    }
    calls.removeIf(call -> call < 0 || call >= count);
    return calls;
  }

  /** Migrates a guest; one end has this device. */
  private static Run run(Role role, DefectiveDevice defective) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY);
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.3);
        var copy = BlockGuest.of(LENGTHS)) {
      boolean atSource = role == Role.SOURCE;
      var source =
          new SourceSession(
              atSource ? defective.of(rig.sourceDevice) : rig.sourceDevice,
              rig.address(),
              guest,
              Rig.parameters(false, true, Duration.ofNanos(1)),
              new SessionTelemetry(Role.SOURCE, false, Account::new),
              Rig.SHORT_INQUIRY);
      var destination =
          new DestinationSession(
              atSource ? rig.destinationDevice : defective.of(rig.destinationDevice),
              atSource ? rig.listener() : defective.of(rig.listener()),
              copy,
              Rig.parameters(false, true),
              new SessionTelemetry(Role.DESTINATION, false, Account::new),
              null,
              Rig.SHORT_INQUIRY);
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      assertEnds(here, source);
      if (destination.telemetry().status() == MigrationStatus.NONE) {
        // No source has connected, and none will.
        destination.cancel();
      }
      assertEnds(there, destination);
      // The listener has been closed, so its address is free.
      rig.destinationDevice.listen(rig.address(), 1).close();
      if (copy.isRunning()) {
        assertThat(copy.hasEqualRam(guest)).isTrue();
      }
      if (source.telemetry().status() == MigrationStatus.UNDECIDED) {
        assertThat(source.custody()).isEqualTo(Custody.IN_DOUBT);
      } else {
        Rig.assertCustody(source.custody(), guest, copy);
        Rig.assertCustody(destination.custody(), copy, guest);
      }
      return new Run(source, destination, copy.isRunning(), guest.isRunning());
    }
  }

  private static void assertEnds(Thread thread, MigrationSession session) throws Exception {
    assertThat(Time.join(thread, Rig.END.toNanos()))
        .as("%s waits for %s", thread.getName(), session.telemetry().waitingFor())
        .isTrue();
    assertThat(session.telemetry().status().isEnd())
        .as("%s of %s", session.telemetry().status(), thread.getName())
        .isTrue();
    assertThat(session.outcome()).as(thread.getName()).isNotNull().endsWith(".");
  }
}
