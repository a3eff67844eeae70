// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class MemlockLimitTest {
  private static final String HEAD =
      "Limit                     Soft Limit           Hard Limit           Units     ";

  @Test
  void parse_ofAFiniteLimit_isTheSoftOne() {
    assertThat(
            MemlockLimit.parse(
                List.of(
                    HEAD,
                    "Max locked memory         8388608              16777216             bytes    "
                        + " ",
                    "Max address space         unlimited            unlimited            bytes  "
                        + "   ")))
        .hasValue(8_388_608);
  }

  @Test
  void parse_ofNoLimit_isEmpty() {
    assertThat(
            MemlockLimit.parse(
                List.of(
                    HEAD,
                    "Max locked memory         unlimited            unlimited            bytes  "
                        + "   ")))
        .isEmpty();
    assertThat(MemlockLimit.parse(List.of())).isEmpty();
    assertThat(MemlockLimit.parse(List.of("Max locked memory  99999999999999999999999 1 bytes")))
        .isEmpty();
  }
}
