// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses of peers, from memory of a program and from {@code rdma -j resource show cm_id}. */
final class PeerAddressTest {
  private static final int WORDS = 4;

  private static String of(int family, int... bytes) {
    ByteBuffer memory = ByteBuffer.allocate(WORDS * Long.BYTES).order(ByteOrder.nativeOrder());
    memory.putShort((short) family);
    for (int each : bytes) {
      memory.put((byte) each);
    }
    long[] words = new long[WORDS];
    for (int i = 0; i < WORDS; i++) {
      words[i] = memory.getLong(i * Long.BYTES);
    }
    return PeerAddress.of(words);
  }

  @Test
  void addresses_haveTheirUsualForm() {
    assertThat(of(2, 0x1b, 0x58, 10, 9, 0, 255)).isEqualTo("10.9.0.255:7000");
    assertThat(of(10, 0xff, 0xff, 1, 2, 3, 4, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        .isEqualTo("[fe80:0:0:0:0:0:0:1]:65535");
    assertThat(of(27)).isEqualTo("a peer with an address of family 27");
  }

  private static String destination(int... bytes) {
    ByteBuffer memory = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    for (int each : bytes) {
      memory.put((byte) each);
    }
    return PeerAddress.ofDestination(true, 9, memory.getLong(0), memory.getLong(Long.BYTES));
  }

  @Test
  void destinations_areAddressesOfIp_whereTheirGidIsOne() {
    assertThat(destination(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 9, 0, 2))
        .isEqualTo("10.9.0.2");
    assertThat(destination(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        .isEqualTo("2001:db8:0:0:0:0:0:1");
    assertThat(destination(0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        .isEqualTo("fd00:0:0:0:0:0:0:1");
    assertThat(destination(0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        .isEqualTo("GID fe80:0:0:0:0:0:0:1");
    assertThat(PeerAddress.ofDestination(false, 65535, 0, 0)).isEqualTo("LID 65535");
  }

  @Test
  void connections_areFoundByProcessAndQueuePair() throws Exception {
    String json =
        """
        [{"ifindex":0,"ifname":"rxe0","port":1,"lqpn":17,"qp-type":"RC","state":"CONNECT",\
        "ps":"TCP","pid":144,"comm":"rping","cm-idn":1,"src-addr":"10.9.0.1:40000",\
        "dst-addr":"10.9.0.2:7174"},\
        {"ifname":"rxe0","lqpn":18,"pid":144,"dst-addr":"fe80::1:7174"},\
        {"ifname":"rxe1","lqpn":17,"pid":144,"dst-addr":"10.8.0.5:7174"},\
        {"ifname":"rxe0","state":"LISTEN","ps":"TCP","pid":145,"comm":"rping",\
        "src-addr":"0.0.0.0:7174"}]
        """;

    assertThat(PeerAddress.parse(json))
        .isEqualTo(
            Map.of(
                144L,
                Map.of(
                    new QueuePairReading.Key("rxe0", 17),
                    "10.9.0.2:7174",
                    new QueuePairReading.Key("rxe0", 18),
                    "[fe80::1]:7174",
                    new QueuePairReading.Key("rxe1", 17),
                    "10.8.0.5:7174")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "[{\"pid\":1,\"lqpn\":\"x\",\"dst-addr\":\"1:2\"}]",
        "[{\"pid\":1,\"lqpn\":2,\"dst-addr\":{}}]",
        "[{\"pid\":1e99999999999,\"lqpn\":2,\"dst-addr\":\"1:2\"}]"
      })
  void whatNamesNoConnection_isNone(String json) throws Exception {
    assertThat(PeerAddress.parse(json)).isEmpty();
  }

  @Test
  void anAddressOfOthers_isMadeLegible() throws Exception {
    String json = "[{\"ifname\":\"a\",\"pid\":1,\"lqpn\":2,\"dst-addr\":\"\\u001b[31m\"}]";

    assertThat(PeerAddress.parse(json).getOrDefault(1L, Map.of()))
        .hasEntrySatisfying(
            new QueuePairReading.Key("a", 2),
            address -> assertThat(address).doesNotContain("\u001b"));
  }

  @Test
  void somethingElse_isAnError() {
    assertThatIOException().isThrownBy(() -> PeerAddress.parse("[{]"));
  }
}
