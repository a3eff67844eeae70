// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MetricsAddressTest {
  @ParameterizedTest
  @CsvSource({
    "9402, 127.0.0.1, 9402",
    "0, 127.0.0.1, 0",
    "0.0.0.0:9402, 0.0.0.0, 9402",
    "10.9.0.1:1, 10.9.0.1, 1",
    "[::1]:65535, 0:0:0:0:0:0:0:1, 65535",
  })
  void withoutAnAddress_onlyThisMachine(String text, String host, int port) {
    InetSocketAddress address = MetricsAddress.parse("--metrics", text);
    assertThat(address.getAddress().getHostAddress()).isEqualTo(host);
    assertThat(address.getPort()).isEqualTo(port);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "65536", "::1:9402", "127.0.0.1", "a b:1", "http://h:1", ":1"})
  void otherTexts_areRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MetricsAddress.parse("--metrics", text))
        .withMessageStartingWith("--metrics: ")
        .withMessageContaining("127.0.0.1:9402");
  }
}
