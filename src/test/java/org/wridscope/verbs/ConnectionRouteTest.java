// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

final class ConnectionRouteTest {
  @Test
  void addressIsWrittenLikeAGid_withoutItsZone() throws Exception {
    byte[] linkLocal = new byte[16];
    linkLocal[0] = (byte) 0xfe;
    linkLocal[1] = (byte) 0x80;
    linkLocal[15] = 1;
    assertThat(gidOf(Inet6Address.getByAddress(null, linkLocal, 2))).isEqualTo("fe80::1");
    assertThat(gidOf(InetAddress.ofLiteral("127.0.0.1"))).isEqualTo("::ffff:127.0.0.1");
    assertThat(ConnectionRoute.gidOf(InetSocketAddress.createUnresolved("host", 1)))
        .isEqualTo("::");
  }

  private static String gidOf(InetAddress address) {
    return ConnectionRoute.gidOf(new InetSocketAddress(address, 1));
  }
}
