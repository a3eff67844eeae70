// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.Slow;
import org.wridscope.account.Account;
import org.wridscope.telemetry.Role;
import org.wridscope.telemetry.SessionTelemetry;
import org.wridscope.telemetry.TurnedAway;
import org.wridscope.telemetry.TurnedAway.Reason;
import org.wridscope.verbs.Errno;
import org.wridscope.verbs.VerbsException;

/** The same over TCP, and a thousand strangers at once. */
@Slow("time limits over TCP, which takes real time")
@ExtendWith(OverTcp.class)
final class StrangersOverTcpTest extends StrangersTest {
  private static final int CROWD = 1000;
  private static final long RAM = 1 << 20;

  /** Addresses from which strangers come. */
  enum From {
    ONE(_ -> InetAddress.getLoopbackAddress()),
    MANY(number -> address(127, 0, 1 + number / 250, 1 + number % 250));

    private final IntFunction<InetAddress> address;

    From(IntFunction<InetAddress> address) {
      this.address = address;
    }

    private static InetAddress address(int a, int b, int c, int d) {
      try {
        return InetAddress.getByAddress(new byte[] {(byte) a, (byte) b, (byte) c, (byte) d});
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }

    InetAddress of(int number) {
      return address.apply(number);
    }
  }

  static Stream<Arguments> crowds() {
    return Stream.of(RawStrangers.Manner.values())
        .flatMap(manner -> Stream.of(From.values()).map(from -> Arguments.of(manner, from)));
  }

  @ParameterizedTest
  @MethodSource("crowds")
  void sourceGetsThrough_amongAThousand(RawStrangers.Manner manner, From from) throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY, CROWD);
        var guest = BlockGuest.of(RAM).boot(1, 0.5);
        var copy = BlockGuest.of(RAM)) {
      var destination = rig.listening(copy, Rig.parameters(false, true));
      Thread there = rig.start(destination);
      try (var strangers = new RawStrangers(rig.address(), CROWD, from::of, manner, 0)) {
        await(destination, () -> strangers.confirmed() >= Doorway.PLACES);
        assertMoved(rig, guest, copy, destination, there);
      }
      if (manner == RawStrangers.Manner.GARBAGE) {
        assertThat(destination.telemetry().turnedAway().counts().reasons())
            .containsKey(Reason.INVALID);
      }
    }
  }

  /** Strangers must not end a session because of what they take from its device. */
  @Test
  void sourceGetsThrough_whereThereIsEnoughForTwoConnections() throws Exception {
    try (var rig = new Rig(Rig.NO_INQUIRY, CROWD);
        var guest = BlockGuest.of(RAM).boot(1, 0.5);
        var copy = BlockGuest.of(RAM)) {
      var scarce = new DefectiveDevice(atMost(2));
      var destination =
          new DestinationSession(
              scarce.of(rig.destinationDevice),
              scarce.of(rig.listener()),
              copy,
              Rig.parameters(false, true),
              new SessionTelemetry(Role.DESTINATION, false, Account::new),
              null,
              DestinationSession.Admission.FIRST_WITH_RAM,
              Rig.NO_INQUIRY);
      Thread there = rig.start(destination);
      TurnedAway turnedAway = destination.telemetry().turnedAway();
      try (var _ =
          new RawStrangers(rig.address(), 20, From.MANY::of, RawStrangers.Manner.SILENT, 0)) {
        await(destination, () -> turnedAway.counts().reasons().containsKey(Reason.CROWDED_OUT));
        assertMoved(rig, guest, copy, destination, there);
      }
    }
  }

  /** A device that has so many completion channels, of which each connection needs one. */
  private static DefectiveDevice.Defect atMost(int channels) {
    var open = new AtomicInteger();
    return (method, _) -> {
      switch (method) {
        case "CompletionChannel.close" -> open.decrementAndGet();
        case "RdmaDevice.createCompletionChannel" -> {
          if (open.get() >= channels) {
            return new VerbsException(Errno.ENOMEM, "there is no completion channel left");
          }
          open.incrementAndGet();
        }
        default -> {}
      }
      return null;
    };
  }
}
