// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.verbs.common.Addresses;

/** Descriptions of devices, interfaces and limits, without a device. */
final class DescriptionTest {

  @ParameterizedTest
  @CsvSource({
    "fe80000000000000505400fffe0a0901, fe80::5054:ff:fe0a:901",
    "00000000000000000000ffff0a090001, ::ffff:10.9.0.1",
    "20010db8000000000000000000000000, 2001:db8::",
    "20010db8000100020003000400050006, 2001:db8:1:2:3:4:5:6"
  })
  void gid_isWrittenAsAnIpv6Address(String bytes, String text) {
    assertThat(Query.gid(HexFormat.of().parseHex(bytes))).isEqualTo(text);
  }

  @Test
  void guid_hasGroupsOfFourDigits_orIsEmpty() {
    assertThat(Query.guid(HexFormat.of().parseHex("505400fffe0a0901")))
        .isEqualTo("5054:00ff:fe0a:0901");
    assertThat(Query.guid(new byte[8])).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 256", "2, 512", "3, 1024", "4, 2048", "5, 4096", "0, 0", "6, 0"})
  void mtu_isInBytes(int value, int bytes) {
    assertThat(Query.mtu(value)).isEqualTo(bytes);
  }

  @Test
  void interfaces_comeInTheOrderOfTheTable_eachOnce(@TempDir Path devices) throws IOException {
    Path table = Files.createDirectories(devices.resolve("mlx5_0/ports/1/gid_attrs/ndevs"));
    Files.writeString(table.resolve("10"), "eth1.7\n");
    Files.writeString(table.resolve("2"), "eth1\n");
    Files.writeString(table.resolve("3"), "eth1\n");
    Files.createDirectory(table.resolve("4")); // unreadable, as an unused entry is
    Files.createDirectories(devices.resolve("rxe0/ports/2"));
    Files.createDirectories(devices.resolve("rxe0/ports/1"));
    var interfaces = new NetworkInterfaces(devices);
    assertThat(interfaces.devices()).containsExactly("mlx5_0", "rxe0");
    assertThat(interfaces.belongs("eth1.7", "mlx5_0", 1)).isTrue();
    assertThat(interfaces.belongs("eth2", "mlx5_0", 1)).isFalse();
    assertThat(interfaces.of("mlx5_0", 1)).containsExactly("eth1", "eth1.7");
    assertThat(interfaces.ports("rxe0")).containsExactly(1, 2);
    assertThat(interfaces.of("rxe0", 1)).isEmpty();
    assertThat(new NetworkInterfaces(devices.resolve("none")).devices()).isEmpty();
  }

  @Test
  void interfacesOfAnInfinibandPort_areThoseOfTheAdapterWithItsNumber(@TempDir Path devices)
      throws IOException {
    Path net = Files.createDirectories(devices.resolve("mlx5_0/device/net"));
    Files.createDirectories(devices.resolve("mlx5_0/ports/1"));
    Files.writeString(Files.createDirectory(net.resolve("ib0")).resolve("dev_port"), "0\n");
    Files.writeString(Files.createDirectory(net.resolve("ib1")).resolve("dev_port"), "1\n");
    var interfaces = new NetworkInterfaces(devices);
    assertThat(interfaces.of("mlx5_0", 1)).containsExactly("ib0");
    assertThat(interfaces.of("mlx5_0", 2)).containsExactly("ib1");
    assertThat(interfaces.belongs("ib1", "mlx5_0", 2)).isTrue();
    assertThat(interfaces.belongs("ib1", "mlx5_0", 1)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.9.0.1", "fd00:9::1", "::1", "255.255.255.255"})
  void socketAddress_isReadAsItWasWritten(String host) throws IOException {
    for (int port : new int[] {0, 1, 4444, 65_535}) {
      var address = new InetSocketAddress(InetAddress.getByName(host), port);
      try (Arena arena = Arena.ofConfined()) {
        assertThat(SocketAddresses.read(SocketAddresses.write(address, arena))).isEqualTo(address);
      }
    }
  }

  @Test
  void socketAddress_isShownWithBracketsForIpv6() throws IOException {
    assertThat(Addresses.text(new InetSocketAddress("10.9.0.1", 7))).isEqualTo("10.9.0.1:7");
    assertThat(Addresses.text(new InetSocketAddress("fd00:9::1", 7)))
        .isEqualTo("[fd00:9:0:0:0:0:0:1]:7");
  }

  @Test
  void sourceAddress_isTheClosestOfTheSameKind() throws IOException {
    List<InetAddress> addresses =
        List.of(
            InetAddress.getByName("192.168.1.5"),
            InetAddress.getByName("10.7.0.2"),
            InetAddress.getByName("fe80::2"),
            InetAddress.getByName("fd00:9::2"));
    assertThat(SourceAddress.closest(addresses, InetAddress.getByName("10.7.0.1")))
        .contains(InetAddress.getByName("10.7.0.2"));
    assertThat(SourceAddress.closest(addresses, InetAddress.getByName("192.168.9.1")))
        .contains(InetAddress.getByName("192.168.1.5"));
    assertThat(SourceAddress.closest(addresses, InetAddress.getByName("fd00:9::1")))
        .contains(InetAddress.getByName("fd00:9::2"));
    assertThat(SourceAddress.closest(addresses, InetAddress.getByName("fe80::1")))
        .contains(InetAddress.getByName("fe80::2"));
    assertThat(SourceAddress.closest(List.of(), InetAddress.getByName("fe80::1"))).isEmpty();
  }
}
