// SPDX-License-Identifier: Apache-2.0
package org.wridscope.units;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ParseTest {

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
        .hasMessage("ram: \"99999999999TiB\" is too large.");
  }

  @Test
  void size_veryLongText_isCutInTheMessage() {
    assertThatThrownBy(() -> Parse.size("ram", "x".repeat(5000))).message().hasSizeLessThan(200);
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
  @CsvSource({
    "40%, 0.4",
    "12.5 %, 0.125",
    "0.4, 0.4",
    "4E-1, 0.4",
    "1e-9, 1e-9",
    "0, 0",
    "100%, 1"
  })
  void share_percentOrFraction_isBetweenZeroAndOne(String text, double expected) {
    assertThat(Parse.share("zero", text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"101%", "1.1", "1e1", "e-1", "-1%", "half", "%", "40"})
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
    assertThatThrownBy(() -> Parse.number("seed", " "))
        .hasMessage("seed: Enter a whole number, such as 1.");
  }
}
