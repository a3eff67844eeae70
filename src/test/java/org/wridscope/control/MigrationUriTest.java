// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MigrationUriTest {

  @ParameterizedTest
  @CsvSource({
    "rdma:127.0.0.1:4444, 127.0.0.1, 4444",
    "rdma:host.example:0, host.example, 0",
    "rdma:[::1]:65535, ::1, 65535"
  })
  void uri_wellFormed_isTakenApartAndPutTogether(String text, String host, int port) {
    MigrationUri uri = MigrationUri.parse(text);
    assertThat(uri).isEqualTo(new MigrationUri(host, port));
    assertThat(uri).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource({
    "rdma://127.0.0.1:4444, rdma:127.0.0.1:4444",
    "rdma://host.example:1/, rdma:host.example:1",
    "'rdma://[::1]:65535,ipv6', rdma:[::1]:65535"
  })
  void uri_asLibvirtWritesIt_meansTheSame(String text, String same) {
    assertThat(MigrationUri.parse(text)).hasToString(same);
  }

  @ParameterizedTest
  @ValueSource(strings = {"rdma:4444", "rdma::4444"})
  void uri_withoutAHost_isThisMachineAlone(String text) {
    assertThat(MigrationUri.parse(text)).hasToString("rdma:127.0.0.1:4444");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "tcp:host:1",
        "rdma:",
        "rdma:host",
        "rdma:::4444",
        "rdma://",
        "rdma:///host:1",
        "rdma://host",
        "rdma::",
        "rdma:99999",
        "rdma:host:",
        "rdma:host:port",
        "rdma:host:65536",
        "rdma:host:-1",
        "rdma:::1:4444",
        "rdma:a b:1",
        "rdma:[::1:4"
      })
  void uri_malformed_isRefusedInOneSentence(String text) {
    assertThatThrownBy(() -> MigrationUri.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("URI: ")
        .message()
        .endsWith(".");
  }
}
