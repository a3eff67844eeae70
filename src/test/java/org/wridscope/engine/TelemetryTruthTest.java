// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.account.Account;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Agreement;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Phase;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.Wait;
import org.wridscope.time.Time;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;

/** The telemetry of a session is true. */
class TelemetryTruthTest {
  private static final long PAGE = RamBlock.PAGE_SIZE;
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {5 * MIB + PAGE, PAGE, 2 * MIB};
  private static final long RAM = 7 * MIB + 2 * PAGE;

  /** Bytes of a guest that makes more events than a ring has room for. */
  private static final long MANY_PAGES = 64 * MIB;

  /** All events of a session, none of which may be missing. */
  private static List<Event> events(SessionTelemetry telemetry) {
    assertThat(telemetry.eventsLeftOut()).isZero();
    assertThat(telemetry.log().oldest()).isZero();
    return telemetry.log().read(0, Integer.MAX_VALUE);
  }

  @ParameterizedTest(name = "pin-all {0}, extensions {1}")
  @CsvSource({"false, true", "true, true", "false, false", "true, false"})
  void countersEventsAndChunksAgree_afterAMigration(boolean pinAll, boolean extensions)
      throws Exception {
    try (var rig = new Rig().monitored();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS);
        var sampler = new Sampler()) {
      var source = rig.source(guest, Rig.parameters(pinAll, extensions, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, extensions));
      sampler.add(source.telemetry());
      sampler.add(destination.telemetry());

      rig.run(source, destination);

      sampler.remove(source.telemetry());
      sampler.remove(destination.telemetry());
      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertCountersAgree(source.telemetry());
      assertCountersAgree(destination.telemetry());
      assertMessagesAgree(source.telemetry(), destination.telemetry());
      assertMessagesAgree(destination.telemetry(), source.telemetry());
      assertRamIsAccountedFor(source.telemetry());
      assertNoKeys(source.telemetry());
      assertNoKeys(destination.telemetry());
      assertKeysAgree(source.telemetry(), destination.telemetry(), pinAll);
      for (ChunkTable table : source.telemetry().blocks()) {
        for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
          assertThat(table.state(chunk)).isIn(ChunkState.SENT, ChunkState.ZERO);
        }
      }
      for (ChunkTable table : destination.telemetry().blocks()) {
        assertThat(table.count(ChunkState.SENT) + table.count(ChunkState.ZERO))
            .as("all of it has arrived: %s", table.name())
            .isEqualTo(table.chunkCount());
      }
      assertThat(phases(source.telemetry()))
          .startsWith("connect", "set-up", "round 1", "round 2", "round 3", "switch-over")
          .endsWith("completed");
      assertThat(phases(destination.telemetry()))
          .startsWith("listen", "connect", "set-up", "round 1", "round 2", "round 3", "switch-over")
          .endsWith("completed");
      assertThat(statuses(source.telemetry()))
          .containsExactly(
              MigrationStatus.SETUP,
              MigrationStatus.ACTIVE,
              MigrationStatus.DEVICE,
              MigrationStatus.COMPLETED);
      assertThat(source.downtimePhases().values().stream().mapToLong(n -> n).sum())
          .isPositive()
          .isLessThanOrEqualTo(source.telemetry().metrics().get(Metric.DOWNTIME));
    }
  }

  /** Nothing takes events out of the ring, which is full long before the end. */
  @Test
  void whatTheRingHasNoRoomFor_isCounted() throws Exception {
    int rounds = 10;
    try (var rig = new Rig().monitored();
        var guest = BlockGuest.of(MANY_PAGES).boot(1, 0);
        var copy = BlockGuest.of(MANY_PAGES)) {
      guest.onSync(sync -> {
        for (long at = 0; sync <= rounds && at < MANY_PAGES; at += 2 * PAGE) {
          guest.write(0, at, (byte) sync);
        }
      });
      var devices = new DeviceCounts();
      rig.sourceDevice.setTap(devices);
      rig.destinationDevice.setTap(devices);
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      long posts = source.telemetry().metrics().get(Metric.WRITES_POSTED);
      assertThat(posts).isGreaterThan(rounds * MANY_PAGES / PAGE / 2);
      assertThat(source.telemetry().eventsLeftOut()).isPositive();
      devices.check("a full ring", rig.sourceDevice.name(), source.telemetry());
      devices.check("a full ring", rig.destinationDevice.name(), destination.telemetry());
    }
  }

  /** A guest with zeros and other pages, which are dirty after the first two rounds. */
  private static BlockGuest guest() {
    var guest = BlockGuest.of(LENGTHS).boot(1, 0.4).zero(1);
    return guest.onSync(sync -> {
      if (sync <= 2) {
        guest.write(0, 3 * PAGE, (byte) sync);
        guest.write(2, MIB + PAGE, (byte) sync);
      }
    });
  }

  private static void assertCountersAgree(SessionTelemetry telemetry) {
    var metrics = telemetry.metrics();
    List<Event> events = events(telemetry);
    assertThat(metrics.get(Metric.WRITES_COMPLETED))
        .isEqualTo(metrics.get(Metric.WRITES_POSTED))
        .isEqualTo(count(events, EventKind.POST_WRITE));
    assertThat(metrics.get(Metric.SENDS_COMPLETED))
        .isEqualTo(metrics.get(Metric.SENDS_POSTED))
        .isEqualTo(count(events, EventKind.CONTROL_SENT));
    assertThat(metrics.get(Metric.WRITES_SIGNALED))
        .isEqualTo(events.stream().filter(TelemetryTruthTest::isSignaledWrite).count());
    assertCompletionsCoverAllRequests(events);
    assertThat(metrics.get(Metric.RECEIVES_POSTED))
        .isEqualTo(count(events, EventKind.POST_RECEIVE));
    assertThat(metrics.get(Metric.RECEIVES_COMPLETED))
        .isEqualTo(count(events, EventKind.COMPLETION_RECEIVE_QUEUE));
    assertThat(metrics.get(Metric.REGISTRATIONS_ALIVE)).isZero();
    assertThat(metrics.get(Metric.REGISTERED_BYTES)).isZero();
    assertThat(metrics.get(Metric.REGISTRATIONS_TOTAL))
        .isEqualTo(count(events, EventKind.REGISTERED))
        .isEqualTo(count(events, EventKind.DEREGISTERED));
    assertThat(metrics.get(Metric.REGISTRATIONS_PEAK))
        .isEqualTo(metrics.get(Metric.REGISTRATIONS_TOTAL));
    assertThat(count(events, EventKind.ESTABLISHED)).isEqualTo(1);
    assertThat(count(events, EventKind.DISCONNECTING)).isEqualTo(1);
    for (ChunkTable table : telemetry.blocks()) {
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        assertThat(table.inTransit(chunk)).isZero();
      }
      long chunks = Arrays.stream(ChunkState.values()).mapToLong(table::count).sum();
      assertThat(chunks).isEqualTo(table.chunkCount());
    }
    long time = telemetry.startNanos();
    for (Event event : events) {
      assertThat(event.nanos()).isGreaterThanOrEqualTo(time);
      time = event.nanos();
    }
  }

  /** Both ends tell the same keys, each after the request for it; with pin-all there is none. */
  private static void assertKeysAgree(
      SessionTelemetry source, SessionTelemetry destination, boolean pinAll) {
    List<String> given = keys(source, EventKind.KEY_GIVEN);
    assertThat(given).isEqualTo(keys(destination, EventKind.KEY_GIVEN));
    assertThat(given.isEmpty()).isEqualTo(pinAll);
    assertThat(keys(source, EventKind.KEY_REQUESTED))
        .isEqualTo(keys(destination, EventKind.KEY_REQUESTED))
        .hasSameSizeAs(given);
    for (SessionTelemetry telemetry : List.of(source, destination)) {
      Event established =
          events(telemetry).stream()
              .filter(event -> event.kind() == EventKind.ESTABLISHED)
              .findFirst()
              .orElseThrow();
      assertThat(Agreement.of(established.detail()).pinAllRequested()).isEqualTo(pinAll);
      assertThat(Agreement.of(established.detail()).pinAll()).isEqualTo(pinAll);
    }
  }

  private static List<String> keys(SessionTelemetry telemetry, EventKind kind) {
    return events(telemetry).stream()
        .filter(event -> event.kind() == kind)
        .map(event -> "%x +%d %x".formatted(event.wrid(), event.length(), event.argument()))
        .toList();
  }

  private static boolean isSignaledWrite(Event event) {
    return event.kind() == EventKind.POST_WRITE && event.detail() == 1;
  }

  /**
   * Each completion is of the oldest signaled request, and covers those before it; after a failure
   * each is of one of the requests that are left.
   */
  private static void assertCompletionsCoverAllRequests(List<Event> events) {
    var outstanding = new ArrayDeque<Event>();
    boolean failed = false;
    for (Event event : events) {
      switch (event.kind()) {
        case POST_WRITE, CONTROL_SENT -> outstanding.add(event);
        case COMPLETION_SEND_QUEUE -> {
          failed |= event.detail() != WorkCompletionStatus.SUCCESS.value();
          Event covered;
          do {
            covered = outstanding.remove();
            boolean signaled = isSignaledWrite(covered) || covered.kind() == EventKind.CONTROL_SENT;
            assertThat(failed || covered.wrid() == event.wrid() || !signaled)
                .as("%s completed before %s", event, covered)
                .isTrue();
            if (!failed && signaled) {
              break;
            }
          } while (!failed || covered.wrid() != event.wrid());
          assertThat(covered.wrid()).isEqualTo(event.wrid());
        }
        default -> {
          // not of a request
        }
      }
    }
    // Without a completion is at most what lies between two writes of one chunk, one of which
    // failed.
    assertThat(failed ? List.of() : outstanding).isEmpty();
  }

  private static long count(List<Event> events, EventKind kind) {
    return events.stream().filter(event -> event.kind() == kind).count();
  }

  private static void assertMessagesAgree(SessionTelemetry sender, SessionTelemetry receiver) {
    for (ControlType type : ControlType.values()) {
      long sent = sender.messagesSent().get(type);
      assertThat(sent)
          .as("%s sent", type)
          .isEqualTo(controlEvents(sender, EventKind.CONTROL_SENT, type));
      assertThat(receiver.messagesReceived().get(type))
          .as("%s received", type)
          .isEqualTo(controlEvents(receiver, EventKind.CONTROL_RECEIVED, type));
      if (type != ControlType.HEARTBEAT) {
        assertThat(receiver.messagesReceived().get(type)).as("%s", type).isEqualTo(sent);
      }
    }
  }

  /** A device that takes its time after it has a request, as one whose thread is interrupted. */
  @Test
  @ExtendWith(UnderSchedule.class)
  void aPostIsNoted_notAfterWhatFollowsFromIt() throws Exception {
    var slow =
        new DefectiveDevice(
            (_, _) -> null,
            method -> {
              if (method.equals("QueuePair.postSend")) {
                aMillisecondPasses();
              }
            });
    try (var rig = new Rig();
        var guest = guest();
        var copy = BlockGuest.of(LENGTHS)) {
      var source =
          new SourceSession(
              slow.of(rig.sourceDevice),
              rig.address(),
              guest,
              Rig.parameters(false, true),
              new SessionTelemetry(Role.SOURCE, true, Account::new),
              Limits.DEFAULT);
      var destination =
          new DestinationSession(
              slow.of(rig.destinationDevice),
              slow.of(rig.listener()),
              copy,
              Rig.parameters(false, true),
              new SessionTelemetry(Role.DESTINATION, true, Account::new),
              null,
              Limits.DEFAULT);

      rig.run(source, destination);

      Rig.assertCompleted(source, destination);
      assertSentBeforeReceived(source.telemetry(), destination.telemetry());
      assertSentBeforeReceived(destination.telemetry(), source.telemetry());
    }
  }

  private static void aMillisecondPasses() {
    try {
      Time.sleep(Duration.ofMillis(1));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertSentBeforeReceived(SessionTelemetry sender, SessionTelemetry receiver) {
    List<Long> sent = times(sender, EventKind.CONTROL_SENT);
    List<Long> received = times(receiver, EventKind.CONTROL_RECEIVED);
    assertThat(received).hasSizeBetween(4, sent.size());
    for (int i = 0; i < received.size(); i++) {
      assertThat(sent.get(i)).as("message %d", i).isLessThanOrEqualTo(received.get(i));
    }
  }

  private static List<Long> times(SessionTelemetry telemetry, EventKind wanted) {
    var times = new ArrayList<Long>();
    telemetry.peek(
        0,
        (nanos, kind, _, _, _, _) -> {
          if (kind == wanted) {
            times.add(nanos);
          }
        });
    return times;
  }

  private static long controlEvents(SessionTelemetry telemetry, EventKind kind, ControlType type) {
    Predicate<Event> wanted = event -> event.kind() == kind && event.detail() == type.value();
    return events(telemetry).stream().filter(wanted).count();
  }

  /** Every page was sent or compressed, once in the first round and again when dirty. */
  private static void assertRamIsAccountedFor(SessionTelemetry telemetry) {
    var metrics = telemetry.metrics();
    List<Event> events = events(telemetry);
    long written =
        events.stream()
            .filter(e -> e.kind() == EventKind.POST_WRITE)
            .mapToLong(Event::length)
            .sum();
    long zero =
        events.stream().filter(e -> e.kind() == EventKind.ZERO).mapToLong(Event::argument).sum();
    assertThat(written).isEqualTo(metrics.get(Metric.NORMAL_PAGES) * PAGE);
    assertThat(zero).isEqualTo(metrics.get(Metric.DUPLICATE_PAGES) * PAGE).isPositive();
    assertThat(metrics.get(Metric.RAM_PROCESSED)).isEqualTo(written + zero);
    assertThat(written + zero).isEqualTo(RAM + 2 * 2 * PAGE);
    assertThat(metrics.get(Metric.RAM_TOTAL)).isEqualTo(RAM);
    assertThat(metrics.get(Metric.RAM_REMAINING)).isZero();
    assertThat(metrics.get(Metric.RAM_TRANSFERRED)).isGreaterThan(written);
    assertThat(metrics.get(Metric.DIRTY_SYNC_COUNT))
        .isEqualTo(4)
        .isEqualTo(count(events, EventKind.ROUND_BEGIN))
        .isEqualTo(count(events, EventKind.ROUND_END));
    assertThat(count(events, EventKind.GUEST_PAUSED)).isEqualTo(1);
    assertThat(count(events, EventKind.GUEST_RESUMED)).isZero();
    assertThat(count(events, EventKind.OPERATED)).isZero();
    long[] perChunk = new long[LENGTHS.length];
    events.stream()
        .filter(e -> e.kind() == EventKind.POST_WRITE)
        .forEach(e -> perChunk[WorkRequestId.block(e.wrid())]++);
    for (ChunkTable table : telemetry.blocks()) {
      long sent = 0;
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        sent += table.timesSent(chunk);
      }
      assertThat(sent).as(table.name()).isEqualTo(perChunk[table.index()]);
    }
  }

  private static List<String> phases(SessionTelemetry telemetry) {
    return telemetry.phases().stream().map(Phase::name).toList();
  }

  private static List<MigrationStatus> statuses(SessionTelemetry telemetry) {
    return events(telemetry).stream()
        .filter(event -> event.kind() == EventKind.STATUS)
        .map(event -> MigrationStatus.values()[event.detail()])
        .toList();
  }

  /** Every other page is dirty, so that there are more writes than the send queue holds. */
  private static BlockGuest fragmented(long length) {
    var guest = BlockGuest.of(length).boot(1, 0);
    return guest.onSync(sync -> {
      for (long page = 0; sync == 1 && page < length / PAGE; page += 2) {
        guest.write(0, page * PAGE, (byte) sync);
      }
    });
  }

  @Test
  void oneWriteInSixteenIsSignaled_andTheLastOfEachBatch() throws Exception {
    long length = 9 * MIB;
    try (var rig = new Rig().monitored();
        var guest = fragmented(length);
        var copy = BlockGuest.of(length);
        var sampler = new Sampler()) {
      var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      sampler.add(source.telemetry());
      // Long enough for the source to use all send contexts meanwhile.
      rig.sourceDevice.setFaultPlan(FaultPlan.at(40, new Fault.Delay(200_000_000)));

      rig.run(source, destination);

      sampler.remove(source.telemetry());
      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertCountersAgree(source.telemetry());
      var metrics = source.telemetry().metrics();
      assertThat(metrics.get(Metric.WRITES_POSTED)).isEqualTo(9 + 9 * 128);
      assertThat(metrics.get(Metric.SEND_CONTEXT_WAITS)).isPositive();
      assertThat(metrics.get(Metric.WAIT_SEND_QUEUE_TIME)).isPositive();
      assertThat(source.telemetry().waits()).contains(new Wait(Wait.Kind.SEND_CONTEXT));
      assertThat(metrics.get(Metric.WRITES_SIGNALED))
          .isEqualTo(1 + 1024 / SendQueue.SIGNAL_INTERVAL + 128 / SendQueue.SIGNAL_INTERVAL);
    }
  }

  @TestFactory
  Stream<DynamicTest> nothingCountsAsInTransit_whicheverUnsignaledWriteFails() throws Exception {
    long length = 2 * MIB;
    var cases = IntStream.range(0, 40).boxed().toList();
    return Concurrently.tests(
        cases,
        request -> {
          try (var rig = new Rig().monitored();
              var guest = fragmented(length);
              var copy = BlockGuest.of(length);
              var sampler = new Sampler()) {
            var source = rig.source(guest, Rig.parameters(false, true, Duration.ofNanos(1)));
            var destination = rig.destination(copy, Rig.parameters(false, true));
            sampler.add(source.telemetry());
            rig.sourceDevice.setFaultPlan(
                FaultPlan.at(12 + request, new Fault.Fail(WorkCompletionStatus.REM_ACCESS_ERR, 0)));

            rig.run(source, destination);

            sampler.remove(source.telemetry());
            assertThat(source.telemetry().status())
                .as(source.outcome())
                .isEqualTo(MigrationStatus.FAILED);
            assertThat(guest.isRunning()).isTrue();
            assertCountersAgree(source.telemetry());
          }
        });
  }

  /** Only data in the destination's memory counts, not what was posted or sent. */
  @ParameterizedTest
  @EnumSource(Role.class)
  void onlyWhatIsThere_countsAsArrived_whicheverRequestFails(Role failing) throws Exception {
    var cases = IntStream.range(4, 34).boxed().toList();
    Concurrently.forEach(
        cases,
        request -> {
          try (var rig = new Rig(Rig.NO_INQUIRY).monitored();
              var guest = BlockGuest.of(LENGTHS).boot(1, 0.4);
              var copy = BlockGuest.of(LENGTHS)) {
            for (int block = 0; block < LENGTHS.length; block++) {
              copy.memory(block).fill((byte) 0xee);
            }
            var source = rig.source(guest, Rig.parameters(false, true));
            var destination = rig.destination(copy, Rig.parameters(false, true));
            var device = failing == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
            device.setFaultPlan(
                FaultPlan.at(request, new Fault.Fail(WorkCompletionStatus.REM_ACCESS_ERR, 0)));

            rig.run(source, destination);

            var metrics = source.telemetry().metrics();
            long arrived = RAM - metrics.get(Metric.RAM_REMAINING);
            assertThat(arrived)
                .as("of %d, %s", RAM, source.outcome())
                .isBetween(0L, equalBytes(guest, copy))
                .isEqualTo(metrics.get(Metric.RAM_PROCESSED));
            // It is unknown whether the last ranges of zeros have been filled.
            assertThat(metrics.get(Metric.NORMAL_PAGES) * PAGE)
                .isBetween(arrived - metrics.get(Metric.DUPLICATE_PAGES) * PAGE, arrived);
            for (MigrationSession end : List.of(source, destination)) {
              assertThat(end.telemetry().metrics().get(Metric.REGISTRATIONS_ALIVE)).isZero();
              assertNoKeys(end.telemetry());
            }
          }
        });
  }

  private static long equalBytes(BlockGuest guest, BlockGuest copy) {
    long equal = 0;
    for (int block = 0; block < LENGTHS.length; block++) {
      for (long at = 0; at < LENGTHS[block]; at += PAGE) {
        boolean same =
            guest.memory(block).asSlice(at, PAGE).mismatch(copy.memory(block).asSlice(at, PAGE))
                < 0;
        equal += same ? PAGE : 0;
      }
    }
    return equal;
  }

  private static void assertNoKeys(SessionTelemetry telemetry) {
    for (ChunkTable table : telemetry.blocks()) {
      assertThat(table.count(ChunkState.REGISTERED)).as(table.name()).isZero();
      for (int chunk = 0; chunk < table.chunkCount(); chunk++) {
        assertThat(table.localKey(chunk)).isZero();
        assertThat(table.remoteKey(chunk)).isZero();
      }
    }
  }

  @Test
  void nothingCountsAsInTransit_afterTheCableWasCut() throws Exception {
    for (Role role : Role.values()) {
      try (var rig = new Rig().monitored();
          var guest = guest();
          var copy = BlockGuest.of(LENGTHS);
          var sampler = new Sampler()) {
        var source = rig.source(guest, Rig.parameters(false, true));
        var destination = rig.destination(copy, Rig.parameters(false, true));
        sampler.add(source.telemetry());
        sampler.add(destination.telemetry());
        var device = role == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
        device.setFaultPlan(FaultPlan.at(7, Fault.CUT));

        rig.run(source, destination);

        sampler.remove(source.telemetry());
        sampler.remove(destination.telemetry());
        assertThat(guest.isRunning()).as(source.outcome()).isTrue();
        assertCountersAgree(source.telemetry());
        assertCountersAgree(destination.telemetry());
        assertThat(statuses(source.telemetry())).endsWith(MigrationStatus.FAILED);
        assertThat(phases(source.telemetry())).endsWith("failed");
        assertThat(source.telemetry().waitingFor()).isNull();
        assertThat(destination.telemetry().waitingFor()).isNull();
      }
    }
  }
}
