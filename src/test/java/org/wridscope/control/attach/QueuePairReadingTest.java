// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code rdma -j -d resource show qp} prints, in the order of iproute2's {@code res-qp.c}: of
 * what the kernel's {@code fill_res_qp_entry} tells, only lqpn, type, state, sq-psn and the process
 * are always there.
 */
final class QueuePairReadingTest {
  /** Linux 6 with rxe, then one of the kernel, and a datagram queue pair, which has no peer. */
  private static final String NEW =
      """
      [{"ifindex":0,"ifname":"rxe0","port":1,"lqpn":17,"pdn":8,"rqpn":21,"type":"RC",\
      "state":"RTS","rq-psn":77,"sq-psn":16777215,"path-mig-state":"MIGRATED","pid":144,\
      "comm":"ibv_rc_pingpong"},\
      {"ifindex":0,"ifname":"rxe0","port":1,"lqpn":1,"type":"GSI","state":"RTS","sq-psn":0,\
      "comm":"[ib_core]"},\
      {"ifindex":0,"ifname":"rxe0","lqpn":18,"type":"UD","state":"RESET","sq-psn":0,"pid":145,\
      "comm":"x"}]
      """;

  @Test
  void queuePairs_areReadWithWhatTheKernelTells() throws Exception {
    assertThat(QueuePairReading.parse(NEW))
        .containsExactly(
            new QueuePairReading(144, "rxe0", 17, "RC", "RTS", 21L, 16777215L, 77L),
            new QueuePairReading(145, "rxe0", 18, "UD", "RESET", null, 0L, null));
    assertThat(QueuePairReading.parse(NEW))
        .extracting(QueuePairReading::isConnected)
        .containsExactly(true, false);
  }

  /** Before Linux 4.19 and iproute2 4.19 without pdn; the newest add subtypes and driver data. */
  @Test
  void membersThatAreMissingOrMore_areNotKnownOrLeftOut() throws Exception {
    assertThat(
            QueuePairReading.parse(
                "[{'ifname':'mlx5_0','port':1,'lqpn':2174,'type':'RC','state':'ERR','pid':9},"
                        .replace('\'', '"')
                    + "{'ifname':'mlx5_0','lqpn':5,'subtype':'DCI','drv_sq-wqe-cnt':'64','pid':9}]"
                        .replace('\'', '"')))
        .containsExactly(
            new QueuePairReading(9, "mlx5_0", 2174, "RC", "ERR", null, null, null),
            new QueuePairReading(9, "mlx5_0", 5, null, null, null, null, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "null",
        "[{\"lqpn\":17}]",
        "[{\"lqpn\":-1,\"pid\":5}]",
        "[{\"lqpn\":16777216,\"pid\":5}]",
        "[{\"lqpn\":1e30,\"pid\":5}]",
        "[{\"lqpn\":\"17\",\"pid\":5}]",
        "[{\"lqpn\":17,\"pid\":-5}]",
        "[{\"lqpn\":17,\"pid\":\"5\"}]",
        "[[],5,\"x\"]"
      })
  void whatNamesNoQueuePair_isNone(String json) throws Exception {
    assertThat(QueuePairReading.parse(json)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "16777216", "1e99999999999", "\"12\"", "null", "{}", "1.5e300"})
  void numbersThatCannotBeOnes_areNotKnown(String number) throws Exception {
    String json =
        "[{\"ifname\":\"\\u001b[31m\",\"lqpn\":1,\"pid\":2,\"state\":7,\"rqpn\":N,\"sq-psn\":N,\"rq-psn\":N}]"
            .replace("N", number);

    assertThat(QueuePairReading.parse(json))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.remote()).isNull();
          assertThat(each.sendPsn()).isNull();
          assertThat(each.receivePsn()).isNull();
          assertThat(each.state()).isNull();
          assertThat(each.isConnected()).isFalse();
          assertThat(each.device()).doesNotContain("\u001b");
        });
  }

  @Test
  void somethingElse_isAnError() {
    assertThatIOException().isThrownBy(() -> QueuePairReading.parse("[{]"));
  }
}
