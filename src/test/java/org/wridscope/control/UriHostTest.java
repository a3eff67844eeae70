// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.telemetry.Role;

final class UriHostTest {
  @ParameterizedTest
  @CsvSource({
    "rdma:10.9.0.1:4444, 10.9.0.1",
    "rdma:[fd00::1]:4444, fd00::1",
    "tcp:host-1.example:1, host-1.example",
    "rdma:host7, host7",
    "rdma://host7, host7",
    "tcp://host7:4444, host7",
    "'tcp, to qemu+ssh://root@host7/system', host7",
    "'tcp, to qemu+ssh://[fd00::1]:22/system', fd00::1",
  })
  void aNamedHost_isFound(String uri, String host) {
    assertThat(UriHost.of(uri)).contains(host);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rdma:127.0.0.1:4444",
        "rdma:[::1]:4444",
        "rdma:localhost:4444",
        "rdma:0.0.0.0:4444",
        "rdma:4444",
        "rdma::4444",
        "rdma:",
        "unix://run/vm.sock",
        "pid:4711",
        "log:/var/log//vm.log",
        "wire:10.9.0.1 QP 17-10.9.0.2 QP 18",
        "tcp, to qemu:///system",
      })
  void thisMachine_andAnAddressWithoutAHost_haveNone(String uri) {
    assertThat(UriHost.of(uri)).isEmpty();
  }

  @Test
  void ofASession_isThatOfItsUri() {
    assertThat(new FakeSession("one", "rdma:host7:1", Role.SOURCE, false).host()).contains("host7");
  }
}
