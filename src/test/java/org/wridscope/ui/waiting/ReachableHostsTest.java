// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.MigrationUri;

final class ReachableHostsTest {
  private static List<String> hosts(String uri, String... ofDevice) throws IOException {
    var addresses = new InetAddress[ofDevice.length];
    for (int i = 0; i < ofDevice.length; i++) {
      addresses[i] = InetAddress.getByName(ofDevice[i]);
    }
    return ReachableHosts.of(MigrationUri.parse(uri), List.of(addresses));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.9.0.1", "127.0.0.1", "host7", "fd00::1"})
  void anAddressOfItsOwn_isTheOnlyOne(String host) throws IOException {
    String uri = new MigrationUri(host, 4711).toString();
    assertThat(hosts(uri, "10.9.0.2")).containsExactly(host);
  }

  @Test
  void allAddresses_areThoseOfTheDevice_ipv4First_withoutLinkLocalOnes() throws IOException {
    String[] device = {"fe80::5054:ff:fe0a:901", "fd00:0:0:0:0:0:0:1", "10.9.0.1"};
    assertThat(hosts("rdma:[::]:4711", device)).containsExactly("10.9.0.1", "fd00:0:0:0:0:0:0:1");
    assertThat(hosts("rdma:0.0.0.0:4711", device)).containsExactly("10.9.0.1");
    assertThat(hosts("rdma:0.0.0.0:4711", "fd00::1")).containsExactly("0.0.0.0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rdma:0.0.0.0:4711", "rdma:[::]:4711"})
  void allAddresses_ofTheSoftwareDevice_areThoseOfThisMachine_loopbackLast(String uri)
      throws IOException {
    List<String> hosts = hosts(uri);
    assertThat(hosts).contains("127.0.0.1").doesNotContain("0.0.0.0", "::", "0:0:0:0:0:0:0:0");
    assertThat(hosts.stream().dropWhile(host -> !ReachableHosts.isOnlyLocal(host)))
        .allMatch(ReachableHosts::isOnlyLocal);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true",
    "127.8.0.1, true",
    "::1, true",
    "localhost, true",
    "10.9.0.1, false",
    "host7, false",
    "fd00::1, false"
  })
  void whatIsOnlyLocal(String host, boolean local) {
    assertThat(ReachableHosts.isOnlyLocal(host)).isEqualTo(local);
  }
}
