// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code rdma -j resource show qp} prints. */
final class RdmaProcessTest {
  @Test
  void queuePairs_areCountedByProcess() throws Exception {
    String json =
        """
        [{"ifindex":0,"ifname":"rxe0","port":1,"lqpn":17,"rqpn":18,"type":"RC","state":"RTR",\
        "rq-psn":2861336,"sq-psn":0,"path-mig-state":"MIGRATED","pdn":1,"pid":144,"comm":"ib_send_bw"},\
        {"ifindex":0,"ifname":"rxe0","port":1,"lqpn":18,"rqpn":17,"type":"RC","state":"RTS",\
        "rq-psn":4842942,"sq-psn":2861336,"path-mig-state":"MIGRATED","pdn":2,"pid":146,\
        "comm":"ib_send_bw"},\
        {"ifindex":0,"ifname":"rxe0","port":1,"lqpn":1,"type":"GSI","state":"RTS","sq-psn":0,\
        "comm":"ib_core"}]
        """;

    assertThat(RdmaProcess.parse(json))
        .containsExactly(
            new RdmaProcess(144, "ib_send_bw", new TreeSet<>(Set.of("rxe0")), 1),
            new RdmaProcess(146, "ib_send_bw", new TreeSet<>(Set.of("rxe0")), 1));
  }

  @Test
  void aProcess_mayUseSeveralDevices() throws Exception {
    assertThat(
            RdmaProcess.parse(
                "[{'ifname':'b','pid':7,'comm':'x'},{'ifname':'a','pid':7,'comm':'x'}]"
                    .replace('\'', '"')))
        .containsExactly(new RdmaProcess(7, "x", new TreeSet<>(List.of("a", "b")), 2));
  }

  @Test
  void theNamesOfOthers_areMadeLegible() throws Exception {
    assertThat(RdmaProcess.parse("[{\"ifname\":\"a\",\"pid\":7,\"comm\":\"\\u001b[31mred\"}]"))
        .singleElement()
        .extracting(RdmaProcess::command)
        .asString()
        .doesNotContain("\u001b")
        .endsWith("red");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "null",
        "[1, null, [], {\"pid\":\"x\"}, {\"pid\":{}}, {\"comm\":1}]",
        "[{\"pid\":1e999}, {\"pid\":1.5x}, {\"pid\":-1}]"
      })
  void nothingThatNamesAProcess_isNoProcess(String json) throws Exception {
    assertThat(RdmaProcess.parse(json)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "[{]", "{\"pid\"", "]"})
  void somethingElse_isAnError(String json) {
    assertThatIOException()
        .isThrownBy(() -> RdmaProcess.parse(json))
        .withMessageContaining("not understood");
  }
}
