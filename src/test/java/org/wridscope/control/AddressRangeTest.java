// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {

  @ParameterizedTest(name = "{0} has {1}: {2}")
  @CsvSource({
    "10.9.0.0/24, 10.9.0.255, true",
    "10.9.0.0/24, 10.9.1.0, false",
    "10.9.0.128/25, 10.9.0.127, false",
    "10.9.0.128/25, 10.9.0.128, true",
    "127.0.0.1, 127.0.0.1, true",
    "127.0.0.1, 127.0.0.2, false",
    "0.0.0.0/0, 192.0.2.1, true",
    "0.0.0.0/0, ::1, false",
    "::/0, 10.9.0.1, false",
    "::/0, 2001:db8::1, true",
    "fd00::/8, fdff::1, true",
    "fd00::/8, fe80::1, false",
    "2001:db8::/33, 2001:db8:7fff::1, true",
    "2001:db8::/33, 2001:db8:8000::1, false",
    "::1, ::1, true"
  })
  void contains_whatBeginsWithTheSameBits(String range, String address, boolean contained) {
    assertThat(AddressRange.parse("allow", range).contains(InetAddress.ofLiteral(address)))
        .isEqualTo(contained);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "host",
        "10",
        "10/8",
        "10.1/16",
        "10.0.0.256/32",
        "010.0.0.1",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "10.0.0.0/8/8",
        "10.0.0.1/8",
        "fd00::1/64",
        "fe80::1%eth0",
        ":::",
        "1::2::3"
      })
  void malformed_isRefusedInOneSentence(String text) {
    assertThatThrownBy(() -> AddressRange.parse("--allow", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--allow: ")
        .message()
        .endsWith(".");
  }

  @Test
  void addressInARange_isToldBothReadings() {
    assertThatThrownBy(() -> AddressRange.parse("--allow", "10.9.0.7/24"))
        .hasMessageContaining("write 10.9.0.0/24 for the range, or 10.9.0.7 for the address");
  }

  @Test
  void several_areReadWithCommasOrSpaces() {
    assertThat(AddressRange.parseAll("Allow", " 10.0.0.0/8, ::1  192.0.2.7 "))
        .extracting(AddressRange::toString)
        .containsExactly("10.0.0.0/8", "0:0:0:0:0:0:0:1/128", "192.0.2.7/32");
    assertThat(AddressRange.parseAll("Allow", " ")).isEmpty();
  }
}
