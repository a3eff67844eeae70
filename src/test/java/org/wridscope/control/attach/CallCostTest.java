// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The sentence about what attaching costs. */
final class CallCostTest {
  @Test
  void theCost_isTheDifference_andItsBasisIsNamed() {
    assertThat(new CallCost(100, 3_400).text())
        .contains("about 3.3 µs longer")
        .endsWith("took 100 ns without probes and 3.4 µs with them.");
    assertThat(new CallCost(100, 90).text()).contains("could not be measured");
  }
}
