// SPDX-License-Identifier: Apache-2.0
package org.wridscope.libvirt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class VirtUriTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "qemu:///system",
        "qemu:///session",
        "test:///default",
        "qemu+ssh://root@node1:2222/system",
        "qemu+tcp://10.9.0.1/system",
        "qemu+ssh://[fd00::1]/system",
        "  qemu+tls://node_1/system?pkipath=/tmp  "
      })
  void addressesOfLibvirt_areTaken(String text) {
    assertThat(VirtUri.parse(text).text()).isEqualTo(text.strip());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "node1",
        "qemu",
        "qemu://",
        "xen:///system",
        "rdma://node1",
        "qemu:/ /x",
        "http://node1/system",
        "qemu:\u001b[1m///system"
      })
  void somethingElse_isRefused(String text) {
    assertThatThrownBy(() -> VirtUri.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not an address of libvirt; write qemu+ssh://HOST/system")
        .hasMessageNotContaining("\u001b");
  }

  @Test
  void sshWithoutHost_isRefused() {
    assertThatThrownBy(() -> VirtUri.parse("qemu+ssh:///system"))
        .hasMessageContaining("names no host");
  }

  @ParameterizedTest
  @CsvSource({
    "qemu+ssh://node1/system, qemu+ssh://node1/system?no_tty=1",
    "qemu+ssh://node1/system?keyfile=/k, qemu+ssh://node1/system?keyfile=/k&no_tty=1",
    "qemu+ssh://node1/system?no_tty=0, qemu+ssh://node1/system?no_tty=0",
    "qemu:///system, qemu:///system"
  })
  void sshMayNotAskOnATerminal(String typed, String opened) {
    assertThat(VirtUri.parse(typed).opened()).isEqualTo(opened);
  }
}
