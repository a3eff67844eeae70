// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.telemetry.TurnedAway.Reason;

/** The same over TCP, and a thousand strangers at once. */
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
}
