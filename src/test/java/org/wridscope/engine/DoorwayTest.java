// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.wridscope.account.Account;
import org.wridscope.memory.NativeMemory;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.time.Time;
import org.wridscope.verbs.Connection;
import org.wridscope.verbs.ConnectionListener;
import org.wridscope.verbs.ConnectionRequest;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/** What a crowd of callers takes of a destination that waits, and who of it is accepted. */
@ExtendWith(UnderSchedule.class)
final class DoorwayTest {
  private static final int CROWD = 1000;

  /** Callers, such that are being told why they leave, and the one that has its turn. */
  private static final int MOST = 2 * Doorway.PLACES + 1;

  private static final Duration SLICE = Duration.ofMillis(50);

  /** Where a crowd comes from. */
  enum Crowd {
    ONE(_ -> "192.0.2.1"),
    MANY(number -> "10.0.%d.%d".formatted(number >> 8, number & 255)),
    ONE_OF_IPV6(_ -> "2001:db8::1"),
    MANY_OF_ONE_NETWORK("2001:db8::%x"::formatted),
    MANY_NETWORKS("2001:db8:0:%x::1"::formatted);

    private final IntFunction<String> address;

    Crowd(IntFunction<String> address) {
      this.address = address;
    }

    /** Within which a newcomer has its place: the others may each be a source, too. */
    private Duration limit() {
      return address.apply(0).equals(address.apply(1)) || this == MANY_OF_ONE_NETWORK
          ? Doorway.GRACE.multipliedBy(2)
          : Doorway.GRACE.multipliedBy(1 + CROWD / 2 / Doorway.PLACES);
    }
  }

  /** A request, and what became of it. */
  private static final class Call {
    private final String address;
    private boolean accepted;
    private @Nullable String rejected;
    private @Nullable Exception failure;

    Call(String address) {
      this.address = address;
    }

    Object answer(String method, @Nullable Object @Nullable [] arguments) throws Exception {
      return switch (method) {
        case "connection" -> proxy(Connection.class);
        case "remoteAddress" -> new InetSocketAddress(InetAddress.ofLiteral(address), 4444);
        case "privateData" -> new byte[56];
        case "beginAccept" -> {
          accepted = true;
          yield accepted;
        }
        case "awaitConfirmation" -> {
          if (failure != null) {
            throw failure;
          }
          yield false;
        }
        case "reject" -> {
          assertThat(accepted).as("whether it was accepted before").isFalse();
          assertThat(rejected).as("what it was told before").isNull();
          assertThat(arguments).isNotNull();
          rejected = new String((byte[]) arguments[0], StandardCharsets.US_ASCII);
          yield rejected;
        }
        default -> throw new IllegalStateException(method);
      };
    }

    <T> T proxy(Class<T> type) {
      return type.cast(
          Proxy.newProxyInstance(
              DoorwayTest.class.getClassLoader(),
              new Class<?>[] {type},
              (_, method, arguments) -> {
                Object answer = answer(method.getName(), arguments);
                return method.getReturnType() == void.class ? null : answer;
              }));
    }
  }

  /** A doorway whose callers have real connections on this side, to nobody. */
  private static final class House implements AutoCloseable {
    private final Rig rig = new Rig();
    private final Map<String, Integer> open = new HashMap<>();
    private final Map<String, Integer> most = new HashMap<>();
    private final Deque<Call> coming = new ArrayDeque<>();
    private final List<Call> all = new ArrayList<>();
    private final TurnedAway turnedAway = new TurnedAway();
    private final MessageMemory messages = new MessageMemory();
    private final long mappedBefore = NativeMemory.mappedBytes();
    private int enough = Integer.MAX_VALUE;
    private final RdmaDevice device =
        new DefectiveDevice((method, _) -> count(method)).of((RdmaDevice) rig.destinationDevice);
    private final Doorway doorway = new Doorway(listener(), new Gate(), turnedAway);

    House() throws Exception {}

    private final class Gate implements Doorway.Gate {
      @Override
      public Caller.@Nullable Terms examine(
          IncomingRequest request, BiConsumer<IncomingRequest, String> refuse) {
        return new Caller.Terms(Capabilities.of(0), false, null, null);
      }

      @Override
      public Caller accept(IncomingRequest request, Caller.Terms terms) throws IOException {
        return Caller.accept(
            request,
            terms,
            SessionTelemetry.ofCaller(false, Account::new),
            notes -> {
              try (var connection =
                  new Unless(device.resolve(rig.address(), Duration.ofSeconds(1)))) {
                return connection.kept(
                    Connected.open(
                        device,
                        connection.wrapped,
                        Role.DESTINATION,
                        false,
                        notes,
                        new Cancellation(Duration.ZERO),
                        Limits.DEFAULT,
                        messages::take));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            Limits.DEFAULT,
            true);
      }
    }

    /** Closes a connection unless it is kept. */
    private static final class Unless implements AutoCloseable {
      private final Connection wrapped;
      private boolean kept;

      Unless(Connection wrapped) {
        this.wrapped = wrapped;
      }

      Connected kept(Connected opened) {
        kept = true;
        return opened;
      }

      @Override
      public void close() throws VerbsException {
        if (!kept) {
          wrapped.close();
        }
      }
    }

    private @Nullable Throwable count(String method) {
      switch (method) {
        case "RdmaDevice.createCompletionChannel" -> {
          if (open.getOrDefault("CompletionChannel", 0) >= enough) {
            return new VerbsException(Errno.ENOMEM, "there is no completion channel left");
          }
          more("CompletionChannel", 1);
        }
        case "RdmaDevice.allocateProtectionDomain" -> more("ProtectionDomain", 1);
        case "ProtectionDomain.register" -> more("MemoryRegion", 1);
        case "RdmaDevice.resolve" -> more("Connection", 1);
        case "CompletionChannel.close" -> more("CompletionChannel", -1);
        case "ProtectionDomain.close" -> more("ProtectionDomain", -1);
        case "MemoryRegion.close" -> more("MemoryRegion", -1);
        case "Connection.close" -> more("Connection", -1);
        default -> {}
      }
      return null;
    }

    private void more(String what, int number) {
      most.merge(what, open.merge(what, number, Integer::sum), Math::max);
    }

    private ConnectionListener listener() {
      return (ConnectionListener)
          Proxy.newProxyInstance(
              DoorwayTest.class.getClassLoader(),
              new Class<?>[] {ConnectionListener.class},
              (_, method, arguments) -> {
                if (!method.getName().equals("nextRequest")) {
                  throw new IllegalStateException(method.getName());
                }
                Call next = coming.poll();
                if (next == null) {
                  Time.sleep((Duration) arguments[0]);
                  return null;
                }
                return next.proxy(ConnectionRequest.class);
              });
    }

    Call come(String address) {
      var call = new Call(address);
      coming.add(call);
      all.add(call);
      return call;
    }

    void attend() throws Exception {
      doorway.attend(SLICE, null);
    }

    void assertBounded() {
      assertThat(most).hasSize(4).allSatisfy((_, number) -> assertThat(number).isBetween(1, MOST));
      assertThat(NativeMemory.mappedBytes() - mappedBefore)
          .isLessThanOrEqualTo(8L * MOST * ControlHeader.MAX_MESSAGE);
    }

    @Override
    public void close() throws IOException {
      doorway.close();
      messages.close();
      assertThat(open).as("left").allSatisfy((_, number) -> assertThat(number).isZero());
      assertThat(NativeMemory.mappedBytes()).isEqualTo(mappedBefore);
      rig.close();
    }
  }

  @ParameterizedTest
  @EnumSource(Crowd.class)
  void whatACrowdTakesIsBounded_andReleased(Crowd crowd) throws Exception {
    try (var house = new House()) {
      for (int number = 0; number < CROWD; number++) {
        house.come(crowd.address.apply(number));
      }
      while (house.all.stream().anyMatch(call -> !call.accepted && call.rejected == null)) {
        house.attend();
      }
      house.assertBounded();
      assertThat(house.turnedAway.counts().total()).isGreaterThan(CROWD - MOST);
    }
  }

  @ParameterizedTest
  @EnumSource(Crowd.class)
  void newcomerOfAnotherAddress_isAcceptedSoon(Crowd crowd) throws Exception {
    try (var house = new House()) {
      for (int number = 0; number < CROWD / 2; number++) {
        house.come(crowd.address.apply(number));
      }
      long begin = Time.nanos();
      while (Time.nanos() - begin < Duration.ofSeconds(1).toNanos()) {
        house.attend();
      }
      Call newcomer = house.come("198.51.100.7");
      for (int number = CROWD / 2; number < CROWD; number++) {
        house.come(crowd.address.apply(number));
      }
      begin = Time.nanos();
      while (!newcomer.accepted) {
        assertThat(newcomer.rejected).isNull();
        house.attend();
      }
      assertThat(Duration.ofNanos(Time.nanos() - begin)).isLessThan(crowd.limit());
    }
  }

  /**
   * A request is not lost because there was not enough for it: it waits for what others release.
   */
  @Test
  void requestWaits_whileThereIsNotEnoughForIt() throws Exception {
    try (var house = new House()) {
      house.enough = 2;
      house.come("192.0.2.1");
      house.come("192.0.2.2");
      while (house.all.stream().anyMatch(call -> !call.accepted)) {
        house.attend();
      }
      Call third = house.come("192.0.2.3");
      while (!third.accepted) {
        assertThat(third.rejected).isNull();
        house.attend();
      }
      house.assertBounded();
    }
  }

  @Test
  void requestIsToldWhy_whenThereIsNotEnoughForOne() throws Exception {
    try (var house = new House()) {
      house.enough = 0;
      Call only = house.come("192.0.2.1");
      IllegalStateException thrown = null;
      while (only.rejected == null && thrown == null) {
        try {
          house.attend();
        } catch (VerbsException e) {
          thrown = new IllegalStateException(e);
        }
      }
      assertThat(only.rejected).startsWith("There was not enough here");
      assertThat(thrown).hasMessageContaining("no completion channel left");
    }
  }

  /** What the device does is not put down to the caller. */
  @Test
  void failureOfTheDeviceIsNotTheCallers() throws Exception {
    try (var house = new House()) {
      Call call = house.come("192.0.2.1");
      while (!call.accepted) {
        house.attend();
      }
      call.failure = new VerbsException(Errno.EIO, "the device is broken");
      house.attend();
      assertThat(house.turnedAway.counts().reasons()).containsOnlyKeys(Reason.DEVICE);
      call.failure = null;
    }
  }
}
