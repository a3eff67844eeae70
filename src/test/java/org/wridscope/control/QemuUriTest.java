// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QemuUriTest {

  @ParameterizedTest
  @CsvSource({
    "tcp:127.0.0.1:4444, tcp:127.0.0.1:4444",
    "' TCP:host:4444 ', tcp:host:4444",
    "rdma:10.9.0.1:1, rdma:10.9.0.1:1",
    "tcp:[::1]:65535, tcp:[::1]:65535",
    "unix:/run/vm.migration, unix:/run/vm.migration"
  })
  void address_isGivenToQemuAsItUnderstandsIt(String typed, String expected) {
    assertThat(QemuUri.parse(typed)).hasToString(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "exec:cat > file",
        "fd:3",
        "10.9.0.1:4444",
        "tcp:",
        "tcp:4444",
        "tcp::4444",
        "tcp:host",
        "tcp:host:0",
        "tcp:host:65536",
        "tcp:::1:4444",
        "rdma:host:port",
        "unix:",
        "unix:relative",
        "unix:/a\nb"
      })
  void anythingElse_isRefusedWithASentence(String typed) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QemuUri.parse(typed))
        .withMessageStartingWith("URI: ")
        .withMessageEndingWith(".");
  }

  @ParameterizedTest
  @CsvSource({"rdma://h:1, rdma:h:1", "tcp://[::1]:5/, tcp:[::1]:5", "RDMA://h:1, rdma:h:1"})
  void libvirtsForm_meansTheSame(String typed, String same) {
    assertThat(QemuUri.parse(typed)).hasToString(same);
  }

  @ParameterizedTest
  @CsvSource({"rdma:h:1, true, false", "tcp:h:1, false, false", "unix:/h, false, true"})
  void kindsDiffer(String uri, boolean rdma, boolean local) {
    assertThat(QemuUri.parse(uri).rdma()).isEqualTo(rdma);
    assertThat(QemuUri.parse(uri).local()).isEqualTo(local);
  }

  @ParameterizedTest
  @ValueSource(ints = {107, 108})
  void pathOfASocket_isLimitedByTheKernel(int length) {
    String path = "/" + "x".repeat(length - 1);
    if (length <= 107) {
      assertThat(QemuUri.parse("unix:" + path).text()).endsWith(path);
    } else {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> QemuUri.parse("unix:" + path))
          .withMessageContaining("longer than 107 bytes");
    }
  }
}
