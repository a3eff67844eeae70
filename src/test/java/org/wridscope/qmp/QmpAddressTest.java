// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QmpAddressTest {
  @ParameterizedTest
  @CsvSource({
    "unix:/run/vm.qmp, unix:/run/vm.qmp",
    "/run/vm with blank:1, unix:/run/vm with blank:1",
    "' unix:/run/vm.qmp ', unix:/run/vm.qmp",
    "tcp:127.0.0.1:4444, tcp:127.0.0.1:4444",
    "tcp:host-1.example:1, tcp:host-1.example:1",
    "tcp:[::1]:65535, tcp:[::1]:65535",
    "ssh:host:/run/vm.qmp, ssh:host:/run/vm.qmp",
    "ssh:root@host-1.example:/var/lib/a_b+c@d=e.sock,"
        + " ssh:root@host-1.example:/var/lib/a_b+c@d=e.sock",
    "ssh:root@::1:/run/qmp, ssh:root@::1:/run/qmp"
  })
  void anAddress_isRead_andWrittenSoThatItIsReadAgain(String text, String written) {
    QmpAddress address = QmpAddress.parse(text);
    assertThat(address).hasToString(written);
    assertThat(QmpAddress.parse(written)).isEqualTo(address);
  }

  @ParameterizedTest
  @CsvSource({
    "/run/vm.qmp,",
    "tcp:host-1.example:1, host-1.example",
    "tcp:[fd00::1]:1, fd00::1",
    "ssh:host:/run/vm.qmp, host",
    "ssh:root@host-1.example:/run/qmp, host-1.example"
  })
  void theNamedHost_hasNoUser(String text, @Nullable String host) {
    assertThat(QmpAddress.parse(text).namedHost()).isEqualTo(Optional.ofNullable(host));
  }

  @Test
  void aRelativePath_becomesAbsolute() {
    assertThat(QmpAddress.parse("./vm.qmp"))
        .isEqualTo(new QmpAddress.Unix(Path.of(System.getProperty("user.dir"), ".", "vm.qmp")));
    assertThat(QmpAddress.parse("unix:vm.qmp"))
        .isEqualTo(new QmpAddress.Unix(Path.of(System.getProperty("user.dir"), "vm.qmp")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "vm.qmp",
        "rdma:127.0.0.1:4444",
        "unix:",
        "unix:/run/",
        "/run/\0vm",
        "tcp:",
        "tcp:host",
        "tcp:host:0",
        "tcp:host:65536",
        "tcp:host:99999999999",
        "tcp::4444",
        "tcp:::1:4444",
        "tcp:a b:4444",
        "ssh:host",
        "ssh:host:relative",
        "ssh:-oProxyCommand=x:/run/qmp",
        "ssh:-l@host:/run/qmp",
        "ssh:a b:/run/qmp",
        "ssh:host:/run/${HOME}",
        "ssh:host:/run/%h",
        "ssh:host:/run/a:b",
        "ssh:host:/run/a\\b",
        "ssh:host:/",
        "ssh:host:/run/"
      })
  void whatIsNoAddress_isRefused_inOneSentence(String text) {
    assertThatThrownBy(() -> QmpAddress.parse(text))
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("[^\n\0]+\\.");
  }

  @Test
  void aPathThatTheKernelCannotTake_isRefused() {
    assertThat(QmpAddress.parse("/" + "x".repeat(106))).isInstanceOf(QmpAddress.Unix.class);
    assertThatThrownBy(() -> QmpAddress.parse("/" + "x".repeat(107)))
        .hasMessageEndingWith("is too long for a socket: it has 108 bytes, and the limit is 107.");
    assertThatThrownBy(() -> QmpAddress.parse("/" + "ä".repeat(54))).hasMessageContaining("109");
  }

  @Test
  void aChildProcess_hasNoAddressToType() {
    assertThatThrownBy(() -> QmpAddress.parse(new QmpAddress.Stdio(5).toString()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
