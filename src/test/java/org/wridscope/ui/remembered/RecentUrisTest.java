// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.remembered;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RecentUrisTest {
  private final StoredJson store = new StoredJson(null, Runnable::run);
  private final RecentUris uris = new RecentUris(store, RecentUris.Kind.SOURCE);

  @Test
  void theLatestIsFirst_eachOnce_andOnlySome() {
    for (int port = 1; port <= 20; port++) {
      uris.add("rdma:10.9.0.7:" + port);
    }
    uris.add(" rdma:10.9.0.7:18 ");
    uris.add("  ");
    uris.add("x".repeat(600));
    assertThat(uris.list())
        .hasSize(8)
        .startsWith("rdma:10.9.0.7:18", "rdma:10.9.0.7:20", "rdma:10.9.0.7:19");
    var sockets = new RecentUris(store, RecentUris.Kind.QMP);
    assertThat(sockets.list()).isEmpty();
    sockets.add("unix:/run/vm7.qmp");
    Memory memory = RecentUris.memory(store);
    assertThat(memory.content().get()).isEqualTo("9 addresses");
    Runnable back = memory.forget();
    assertThat(uris.list()).isEmpty();
    back.run();
    assertThat(uris.list()).hasSize(8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "{}", "[[], {}]", "[null, \"\", \"rdma:h:1\", \"rdma:h:1\"]"})
  void whatMakesNoSense_isLeftOut(String stored) {
    store.put("recent-uris-source", JsonParser.parseString(stored));
    assertThat(uris.list()).isSubsetOf("rdma:h:1").doesNotHaveDuplicates();
    uris.add("rdma:h:2");
    assertThat(uris.list()).startsWith("rdma:h:2");
  }
}
