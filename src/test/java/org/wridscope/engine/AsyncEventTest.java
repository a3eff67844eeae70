// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.analysis.EventText;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.Sampler;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.time.Time;
import org.wridscope.verbs.AsyncEvent;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.QueuePair;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.soft.Fault;
import org.wridscope.verbs.soft.FaultPlan;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;

/** A queue pair or a device fails, which only an asynchronous event reports. */
@ExtendWith(UnderSchedule.class)
class AsyncEventTest {
  private static final long MIB = 1 << 20;
  private static final long[] LENGTHS = {3 * MIB, MIB};

  /** Number of a device's first queue pair: 0 and 1 are reserved for management. */
  private static final int FIRST_NUMBER = 2;

  /** What a device reports. */
  enum Failure {
    QUEUE_PAIR(AsyncEventType.QP_FATAL),
    DEVICE(AsyncEventType.DEVICE_FATAL);

    private final AsyncEventType type;

    Failure(AsyncEventType type) {
      this.type = type;
    }

    void strike(SoftDevice device, int queuePairNumber) {
      if (this == DEVICE) {
        // Not from the device's own thread, which it waits for.
        Time.start("tear-out", device::fail);
      } else {
        device.failQueuePair(queuePairNumber);
      }
    }
  }

  private record Case(Failure failure, Role role, long request) {}

  @TestFactory
  Stream<DynamicTest> bothEndsSaySo_andOneGuestRuns_whateverFailsAtAnyRequest() throws Exception {
    var cases = new ArrayList<Case>();
    for (Failure failure : Failure.values()) {
      for (Role role : Role.values()) {
        for (long request = 0; request < 16; request++) {
          cases.add(new Case(failure, role, request));
        }
      }
    }
    return Concurrently.tests(cases, AsyncEventTest::check);
  }

  private static void check(Case test) throws Exception {
    try (var rig = new Rig(Rig.SHORT_INQUIRY).monitored();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.2);
        var copy = BlockGuest.of(LENGTHS);
        var sampler = new Sampler()) {
      var source = rig.source(guest, Rig.parameters(false, true));
      var destination = rig.destination(copy, Rig.parameters(false, true));
      sampler.add(source.telemetry());
      sampler.add(destination.telemetry());
      var device = test.role == Role.SOURCE ? rig.sourceDevice : rig.destinationDevice;
      var struck = test.role == Role.SOURCE ? source : destination;
      device.setFaultPlan((queuePairNumber, ordinal, opcode, workRequestId) -> {
        if (ordinal == test.request) {
          test.failure.strike(device, queuePairNumber);
        }
        return Fault.PROCEED;
      });

      rig.run(source, destination);

      sampler.remove(source.telemetry());
      sampler.remove(destination.telemetry());
      String what = "%s%n%s%n%s".formatted(test, source.outcome(), destination.outcome());
      if (source.telemetry().status() == MigrationStatus.UNDECIDED) {
        // Without a device, there is no inquiry whether the guest was started.
        assertThat(test.failure).as(what).isEqualTo(Failure.DEVICE);
        assertThat(guest.isRunning()).as(what).isFalse();
        return;
      }
      assertThat(guest.isRunning()).as(what).isNotEqualTo(copy.isRunning());
      if (copy.isRunning()) {
        assertThat(copy.hasEqualRam(guest)).as(what).isTrue();
        return;
      }
      assertThat(source.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.telemetry().status()).as(what).isEqualTo(MigrationStatus.FAILED);
      assertThat(struck.outcome())
          .as(what)
          .containsAnyOf(test.failure.type.name(), "device was removed", "device failed");
      if (test.failure == Failure.QUEUE_PAIR) {
        assertThat(asyncEvents(struck.telemetry())).as(what).containsExactly(test.failure.type);
      }
    }
  }

  private static List<AsyncEventType> asyncEvents(SessionTelemetry telemetry) {
    return telemetry.log().read(0, Integer.MAX_VALUE).stream()
        .filter(event -> event.kind() == EventKind.ASYNC)
        .map(Event::detail)
        .map(detail -> AsyncEventType.values()[detail])
        .toList();
  }

  /** Limits so long that nothing but the event can end a wait. */
  @ParameterizedTest
  @EnumSource(Failure.class)
  void sourceEnds_whileItWaitsForWhatNeverComes(Failure failure) throws Exception {
    try (var rig = new Rig(patient());
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.2);
        var copy = BlockGuest.of(LENGTHS)) {
      var source = rig.source(guest, Rig.parameters(false, false));
      // The source waits for READY.
      var peer =
          new ScriptedDestination(
              rig,
              copy,
              false,
              (message, bytes) -> {
                if (message == 2) {
                  failure.strike(rig.sourceDevice, FIRST_NUMBER);
                  return List.of();
                }
                return List.of(bytes);
              });
      Thread here = rig.start(source);
      peer.run();
      Rig.join(here, source);
      assertThat(source.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(source.outcome())
          .containsAnyOf(failure.type.name(), "device was removed")
          .contains("guest");
      assertThat(guest.isRunning()).isTrue();
    }
  }

  static Stream<AsyncEventType> harmless() {
    return Stream.of(AsyncEventType.values())
        .filter(type -> type.consequence() != AsyncEventType.Consequence.FATAL);
  }

  /** The thread that reads events may be late; a source that is held cannot end before it. */
  private static Event awaitEvent(SourceSession source) throws InterruptedException {
    var found = new AtomicReference<Event>();
    Rig.await(
        () -> {
          source.telemetry().log().read(0, Integer.MAX_VALUE).stream()
              .filter(each -> each.kind() == EventKind.ASYNC)
              .findFirst()
              .ifPresent(found::set);
          return found.get() != null
              && source.telemetry().status() == MigrationStatus.PRE_SWITCHOVER;
        },
        () -> String.valueOf(source.outcome()));
    return found.get();
  }

  /** Each event that a device can report without failing is recorded by its name. */
  @ParameterizedTest
  @MethodSource("harmless")
  void eventAfterWhichAllCanBeUsed_isRecorded_andTheGuestArrives(AsyncEventType type)
      throws Exception {
    try (var rig = new Rig().monitored();
        var guest = BlockGuest.of(LENGTHS).boot(1, 0.2);
        var copy = BlockGuest.of(LENGTHS);
        var sampler = new Sampler()) {
      var source = rig.source(guest, Rig.held(true));
      sampler.add(source.telemetry());
      rig.sourceDevice.setFaultPlan(FaultPlan.at(3, new Fault.Event(type)));
      DestinationSession destination = rig.destination(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      Thread here = rig.start(source);
      Event event = awaitEvent(source);
      source.permitSwitchover();
      Rig.join(here, source);
      Rig.join(there, destination);
      sampler.remove(source.telemetry());
      assertThat(copy.hasEqualRam(guest)).as(source.outcome()).isTrue();
      assertThat(EventText.summary(event, source.telemetry()))
          .isEqualTo(
              type.subject() == AsyncEventType.Subject.QUEUE_PAIR
                  ? type.name() + " of queue pair " + FIRST_NUMBER
                  : type.name());
    }
  }

  /** A device whose events cannot be read, until it is repaired. */
  @SuppressWarnings("ReferenceEquality") // as Object.equals
  private static RdmaDevice broken(SoftDevice device, AtomicBoolean repaired) {
    return (RdmaDevice)
        Proxy.newProxyInstance(
            RdmaDevice.class.getClassLoader(),
            new Class<?>[] {RdmaDevice.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("nextAsyncEvent")) {
                if (repaired.get()) {
                  // Interruptible, so not by reflection.
                  return device.nextAsyncEvent((Duration) arguments[0]);
                }
                throw new VerbsException(Errno.EIO, "the events cannot be read");
              }
              return switch (method.getName()) {
                case "equals" -> proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> method.invoke(device, arguments);
              };
            });
  }

  /** Tells when the thread that reads events has handled the first one. */
  @SuppressWarnings("ReferenceEquality") // as Object.equals
  private static RdmaDevice telling(SoftDevice device, CountDownLatch handled) {
    var taken = new AtomicBoolean();
    return (RdmaDevice)
        Proxy.newProxyInstance(
            RdmaDevice.class.getClassLoader(),
            new Class<?>[] {RdmaDevice.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "nextAsyncEvent" -> {
                    if (taken.get()) {
                      handled.countDown();
                    }
                    // Interruptible, so not by reflection.
                    AsyncEvent event = device.nextAsyncEvent((Duration) arguments[0]);
                    taken.compareAndSet(false, event != null);
                    yield event;
                  }
                  default -> method.invoke(device, arguments);
                });
  }

  /** The queue pair fails before anybody knows its number. */
  private static Connection failing(
      SoftDevice device, Connection connection, CountDownLatch handled) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(connection, arguments);
              if (result instanceof QueuePair queuePair
                  && method.getName().equals("createQueuePair")) {
                device.failQueuePair(queuePair.number());
                assertThat(Time.await(handled, Rig.END.toNanos())).isTrue();
              }
              return result;
            });
  }

  @Test
  void eventBetweenCreationAndRegistration_reachesTheSession() throws Exception {
    try (SoftDevice device = new SoftFabric().open("early-test");
        ConnectionListener listener =
            device.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
      var handled = new CountDownLatch(1);
      Connection connection = device.resolve(listener.localAddress(), Rig.END);
      try (var endpoint =
          new Endpoint(
              telling(device, handled),
              failing(device, connection, handled),
              false,
              QueuePairWatch.NOBODY)) {
        assertThat(endpoint.asyncEvents().poll())
            .isEqualTo(
                new AsyncEventInbox.Happened(
                    AsyncEventType.QP_FATAL, endpoint.queuePair().number()));
        assertThat(endpoint.asyncEvents().poll()).isNull();
      }
    }
  }

  /** Without a thread that reads, a later session would hear of nothing. */
  @Test
  void readerThatHasDied_isReplacedForTheNextSession() throws Exception {
    try (SoftDevice device = new SoftFabric().open("reader-test")) {
      var repaired = new AtomicBoolean();
      RdmaDevice broken = broken(device, repaired);
      AsyncEventReader.Registration first = AsyncEventReader.open(broken, (type, number) -> {});
      Rig.await(() -> !AsyncEventReader.isReading(broken), () -> "its reader has died");
      repaired.set(true);
      AsyncEventReader.Registration second = AsyncEventReader.open(broken, (type, number) -> {});
      assertThat(AsyncEventReader.isReading(broken)).isTrue();
      first.close();
      assertThat(AsyncEventReader.isReading(broken)).as("for the second").isTrue();
      second.close();
      assertThat(AsyncEventReader.isReading(broken)).isFalse();
    }
  }

  private static Limits patient() {
    Duration day = Duration.ofDays(1);
    return new Limits(
        Duration.ofSeconds(10), day, day, Duration.ofSeconds(5), Duration.ofMillis(20), day, day);
  }

  /** A source that has connected, and from which the destination waits for a message. */
  private static TestPeer connect(Rig rig) throws Exception {
    var peer = new TestPeer(rig.sourceDevice, rig.sourceDevice.resolve(rig.address(), Rig.END));
    peer.connection.connect(Endpoint.connectionParameters(Capabilities.of(0).toBytes()), Rig.END);
    assertThat(TestPeer.typeOf(peer.receive())).isEqualTo(ControlType.READY);
    return peer;
  }

  @Test
  void destinationEnds_whileItWaitsForASourceThatIsSilent() throws Exception {
    try (var rig = new Rig(patient());
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, false));
      Thread there = rig.start(destination);
      try (TestPeer _ = connect(rig)) {
        rig.destinationDevice.failQueuePair(FIRST_NUMBER);
        Rig.join(there, destination);
      }
      assertThat(destination.telemetry().status()).isEqualTo(MigrationStatus.FAILED);
      assertThat(destination.outcome()).contains("QP_FATAL", "queue pair " + FIRST_NUMBER);
      assertThat(copy.isRunning()).isFalse();
    }
  }

  /** The destination's device reports an access violation. */
  @Test
  void destinationSaysWhy_whenThePeerReachesForForeignMemory() throws Exception {
    try (var rig = new Rig(patient());
        var copy = BlockGuest.of(LENGTHS)) {
      var destination = rig.destination(copy, Rig.parameters(false, false));
      Thread there = rig.start(destination);
      try (TestPeer peer = connect(rig)) {
        try (var memory = BlockGuest.of(MIB)) {
          peer.write(peer.register(memory.memory(0)), 0, 8, 0x1000, 4711);
        }
        Rig.join(there, destination);
      }
      assertThat(destination.outcome()).contains("QP_ACCESS_ERR");
    }
  }
}
