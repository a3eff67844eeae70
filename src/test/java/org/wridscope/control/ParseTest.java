// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.virtio.VirtioFault;

final class ParseTest {

  @Test
  void virtioFault_isFoundByItsName() {
    for (VirtioFault fault : VirtioFault.values()) {
      assertThat(Parse.virtioFault("f", fault.text())).isEqualTo(fault);
    }
    assertThat(Parse.virtioFault("f", " In-Flight-Forgotten "))
        .isEqualTo(VirtioFault.IN_FLIGHT_FORGOTTEN);
    assertThatThrownBy(() -> Parse.virtioFault("--virtio-fault", "broken"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--virtio-fault: \"broken\" is no fault")
        .hasMessageContaining("used-index-not-restored");
  }

  @Test
  void virtioRequests_haveBounds() {
    assertThat(Parse.virtioRequests("r", "0")).isZero();
    assertThat(Parse.virtioRequests("r", "1000000")).isEqualTo(1_000_000);
    for (String text : new String[] {"-1", "1000001", "many", ""}) {
      assertThatThrownBy(() -> Parse.virtioRequests("r", text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("r: ");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "2GiB, 2147483648",
    "2g, 2147483648",
    "512 MiB, 536870912",
    "1.5GiB, 1610612736",
    "4096B, 4096",
    "0, 0",
    "2MB, 2000000",
    "64k, 65536"
  })
  void size_withAndWithoutUnit_isBytes(String text, long expected) {
    assertThat(Parse.size("ram", text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "GiB",
        "4096",
        "60",
        "00",
        "-1",
        "2 GiB GiB",
        "1e9",
        "0x10",
        "2XiB",
        "NaN",
        "1..5"
      })
  void size_nonsense_saysWhatToWrite(String text) {
    assertThatThrownBy(() -> Parse.size("ram", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("ram: ")
        .hasMessageContaining("512MiB");
  }

  @Test
  void size_moreThanALong_isRefused() {
    assertThatThrownBy(() -> Parse.size("ram", "99999999999TiB"))
        .hasMessage("ram: \"99999999999TiB\" is more than this program can count.");
  }

  @Test
  void size_veryLongText_isCutInTheMessage() {
    assertThatThrownBy(() -> Parse.size("ram", "x".repeat(5000))).message().hasSizeLessThan(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "100B", "4097B", "1.5KiB"})
  void ram_notAMultipleOfThePageSize_isRefused(String text) {
    assertThatThrownBy(() -> Parse.ram("ram", text)).hasMessageContaining("4096");
  }

  @ParameterizedTest
  @CsvSource({
    "200MiB/s, 209715200",
    "200MiB, 209715200",
    "0, 0",
    "10Gbit/s, 1250000000",
    "8bit/s, 1",
    "1.5 Mbit/s, 187500"
  })
  void rate_bytesAndBits_isBytesASecond(String text, long expected) {
    assertThat(Parse.rate("bandwidth", text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fast", "60", "60/s", "1.5", "/s", "bit/s", "-5MiB/s", "10Gbit/h"})
  void rate_nonsense_saysWhatToWrite(String text) {
    assertThatThrownBy(() -> Parse.rate("bandwidth", text))
        .hasMessageStartingWith("bandwidth: ")
        .hasMessageContaining("200MiB/s");
  }

  @ParameterizedTest
  @CsvSource({"40%, 0.4", "12.5 %, 0.125", "0.4, 0.4", "0, 0", "100%, 1", "1, 1"})
  void share_percentOrFraction_isBetweenZeroAndOne(String text, double expected) {
    assertThat(Parse.share("zero", text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"101%", "1.1", "-1%", "half", "%", "40"})
  void share_outside_isRefused(String text) {
    assertThatThrownBy(() -> Parse.share("zero", text)).hasMessageContaining("0% to 100%");
  }

  @ParameterizedTest
  @CsvSource({"300ms, 300000000", "1.5s, 1500000000", "2min, 120000000000", "5us, 5000", "0, 0"})
  void duration_withUnit_isExact(String text, long nanos) {
    assertThat(Parse.duration("timeout", text)).isEqualTo(Duration.ofNanos(nanos));
  }

  @ParameterizedTest
  @ValueSource(strings = {"300", "ms", "-1s", "1 year", ""})
  void duration_withoutUnit_isRefused(String text) {
    assertThatThrownBy(() -> Parse.duration("timeout", text)).hasMessageContaining("300ms");
  }

  @Test
  void number_anySign_isRead() {
    assertThat(Parse.number("seed", "-7")).isEqualTo(-7);
    assertThat(Parse.number("seed", " 0xff ")).isEqualTo(255);
    assertThatThrownBy(() -> Parse.number("seed", "seven"))
        .hasMessage("seed: \"seven\" is not a whole number.");
  }

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
