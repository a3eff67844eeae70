// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.wridscope.analysis.meaning.CounterMeaning.Trouble;
import org.wridscope.verbs.DeviceCounter;

/** The texts about counters are complete, and no counter of what is usual is called trouble. */
final class CounterMeaningTest {
  private static CounterMeaning of(String name) {
    return CounterMeaning.of(name).orElseThrow(() -> new AssertionError(name));
  }

  @Test
  void eachName_hasOneMeaning_inASentence() {
    var seen = new HashSet<CounterMeaning>();
    int names = 0;
    for (String name : CounterMeaning.known()) {
      CounterMeaning meaning = of(name);
      assertThat(DeviceCounter.isName(name)).as(name).isTrue();
      assertThat(meaning.names()).contains(name).doesNotHaveDuplicates();
      assertThat(meaning.means()).as(name).matches("[A-Z].{10,200}\\.");
      names += seen.add(meaning) ? meaning.names().size() : 0;
    }
    assertThat(CounterMeaning.known()).hasSize(names);
    assertThat(CounterMeaning.of("of_a_newer_driver")).isEmpty();
  }

  /** As in drivers/infiniband/sw/rxe/rxe_hw_counters.c. */
  @Test
  void allOfSoftRoce_areKnown() {
    for (String name :
        List.of(
            "sent_pkts",
            "rcvd_pkts",
            "duplicate_request",
            "out_of_seq_request",
            "rcvd_rnr_err",
            "send_rnr_err",
            "rcvd_seq_err",
            "ack_deferred",
            "retry_exceeded_err",
            "retry_rnr_exceeded_err",
            "completer_retry_err",
            "send_err",
            "link_downed",
            "rdma_sends",
            "rdma_recvs")) {
      assertThat(CounterMeaning.known()).contains(name);
    }
  }

  @Test
  void whatCountsTraffic_isNoTrouble_andWhatCountsLosses_is() {
    for (String name :
        List.of(
            "sent_pkts",
            "rcvd_pkts",
            "ack_deferred",
            "rdma_sends",
            "rdma_recvs",
            "rx_write_requests",
            "rx_read_requests",
            "port_xmit_data",
            "port_rcv_data",
            "port_xmit_packets",
            "resp_cqe_flush_error",
            "symbol_error")) {
      assertThat(of(name).trouble()).as(name).isNull();
    }
    assertThat(of("local_ack_timeout_err").trouble()).isEqualTo(Trouble.RETRANSMISSION);
    assertThat(of("completer_retry_err").trouble()).isEqualTo(Trouble.RETRANSMISSION);
    assertThat(of("rnr_nak_retry_err").trouble()).isEqualTo(Trouble.NOT_READY);
    assertThat(of("out_of_buffer").trouble()).isEqualTo(Trouble.NO_RECEIVE);
    assertThat(of("np_cnp_sent").trouble()).isEqualTo(Trouble.CONGESTION);
    assertThat(of("link_downed").trouble()).isEqualTo(Trouble.LINK);
    assertThat(of("port_xmit_data").means()).contains("4 octets");
  }
}
