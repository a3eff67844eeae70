// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.wridscope.control.attach.PeersBefore.Peer;

/** The peers of queue pairs that are connected already, by their numbers. */
final class PeersBeforeTest {
  private static final long PID = 7;

  private static QueuePairReading pair(String device, long number, String state) {
    return new QueuePairReading(PID, device, number, "RC", state, 21L, 5L, 9L);
  }

  private static Map<Integer, Peer> peers(
      List<QueuePairReading> pairs,
      Map<QueuePairReading.Key, String> connections,
      @Nullable String device) {
    return PeersBefore.of(pairs, Map.of(PID, connections), device).of(PID);
  }

  @Test
  void anAddressThatLibrdmacmKnows_isTheBetterPeer() {
    assertThat(
            peers(
                List.of(pair("rxe0", 17, "RTS"), pair("rxe0", 18, "RTS"), pair("rxe0", 19, "INIT")),
                Map.of(new QueuePairReading.Key("rxe0", 17), "10.9.0.2:1"),
                null))
        .isEqualTo(
            Map.of(
                17,
                new Peer("10.9.0.2:1", true),
                18,
                new Peer("QP 21 (its host is not known)", false)));
  }

  /** A probe does not see which device the queue pair is of. */
  @Test
  void ofANumberOnTwoDevices_noPeerIsKnown() {
    Map<QueuePairReading.Key, String> both =
        Map.of(
            new QueuePairReading.Key("rxe0", 17),
            "10.9.0.2:1",
            new QueuePairReading.Key("rxe1", 17),
            "10.8.0.5:1");

    assertThat(peers(List.of(), both, null)).isEmpty();
    assertThat(peers(List.of(), both, "rxe1")).isEqualTo(Map.of(17, new Peer("10.8.0.5:1", true)));
    assertThat(
            peers(
                List.of(pair("rxe0", 17, "RTS"), pair("rxe1", 17, "INIT"), pair("rxe1", 18, "RTS")),
                Map.of(new QueuePairReading.Key("rxe0", 17), "10.9.0.2:1"),
                null))
        .containsOnlyKeys(18);
  }
}
