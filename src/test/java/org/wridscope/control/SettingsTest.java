// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.virtio.VirtioFault;

/** Settings are parsed by their own types. */
final class SettingsTest {

  @Test
  void virtioFault_isFoundByItsName() {
    for (VirtioFault fault : VirtioFault.values()) {
      assertThat(VirtioSettings.parseFault("f", fault.text())).isEqualTo(fault);
    }
    assertThat(VirtioSettings.parseFault("f", " In-Flight-Forgotten "))
        .isEqualTo(VirtioFault.IN_FLIGHT_FORGOTTEN);
    assertThatThrownBy(() -> VirtioSettings.parseFault("--virtio-fault", "broken"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--virtio-fault: \"broken\" is not a known fault")
        .hasMessageContaining("used-index-not-restored");
  }

  @Test
  void virtioRequests_haveBounds() {
    assertThat(VirtioSettings.parseRequests("r", "0")).isZero();
    assertThat(VirtioSettings.parseRequests("r", "1000000")).isEqualTo(1_000_000);
    for (String text : new String[] {"-1", "1000001", "many", ""}) {
      assertThatThrownBy(() -> VirtioSettings.parseRequests("r", text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("r: ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "100B", "4097B", "1.5KiB"})
  void ram_notAMultipleOfThePageSize_isRefused(String text) {
    assertThatThrownBy(() -> GuestSettings.parseRam("ram", text)).hasMessageContaining("4096");
  }
}
