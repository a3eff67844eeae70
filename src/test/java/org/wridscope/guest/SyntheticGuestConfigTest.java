// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SyntheticGuestConfigTest {

  @ParameterizedTest
  @CsvSource({
    "0,              0,     0,     0.5,  1, RAM of 0 bytes",
    "-4096,          0,     0,     0.5,  1, RAM of -4096 bytes",
    "4097,           0,     0,     0.5,  1, RAM of 4097 bytes",
    "17592186048512, 0,     0,     0.5,  1, RAM of 17592186048512 bytes",
    "65536,          -1,    0,     0.5,  1, dirty rate of -1 bytes/s",
    "65536,          1099511627777, 0, 0.5, 1, dirty rate of 1099511627777 bytes/s",
    "65536,          0,     4097,  0.5,  1, working set of 4097 bytes",
    "65536,          0,     -4096, 0.5,  1, working set of -4096 bytes",
    "65536,          0,     69632, 0.5,  1, working set of 69632 bytes",
    "65536,          0,     0,     -0.1, 1, zero share of -0.1",
    "65536,          0,     0,     1.01, 1, zero share of 1.01",
    "65536,          0,     0,     NaN,  1, zero share of NaN",
    "65536,          0,     0,     0.5,  0, 0 writers",
    "65536,          0,     0,     0.5, 65, 65 writers"
  })
  void aValueOutOfItsRange_isNamedWithItsLimits(
      long ram, long rate, long workingSet, double zeroShare, int writers, String message) {
    assertThatThrownBy(
            () -> new SyntheticGuestConfig(ram, rate, workingSet, zeroShare, 1, writers, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message)
        .hasMessageMatching(".* must be .*\\d.*");
  }

  @ParameterizedTest
  @CsvSource({"4096, 4096", "16384, 4096", "20480, 4096", "1073741824, 268435456"})
  void aWorkingSetOf0_isAQuarterOfTheRam(long ram, long workingSet) {
    SyntheticGuestConfig config = SyntheticGuestConfig.of(ram, 0, 0, 0, 1);
    assertThat(config.workingSet()).isEqualTo(workingSet);
  }

  @Test
  void of_takesAsManyWritersAsTheRateAsksFor() {
    assertThat(SyntheticGuestConfig.of(1 << 20, 200 << 20, 0, 0.4, 7))
        .isEqualTo(new SyntheticGuestConfig(1 << 20, 200 << 20, 1 << 18, 0.4, 7, 1, true));
    assertThat(SyntheticGuestConfig.of(1 << 20, 3L << 30, 0, 0, 7).writers()).isEqualTo(2);
  }
}
