// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.virtio.VirtioFault;

/** The parsers of the types of settings. */
final class SettingsTest {

  @ParameterizedTest
  @EnumSource
  void virtioFault_isFoundByItsName(VirtioFault fault) {
    assertThat(VirtioSettings.parseFault("f", fault.text())).isEqualTo(fault);
  }

  @Test
  void virtioFault_caseAndSpacesDoNotMatter() {
    assertThat(VirtioSettings.parseFault("f", " In-Flight-Forgotten "))
        .isEqualTo(VirtioFault.IN_FLIGHT_FORGOTTEN);
  }

  @Test
  void virtioFault_unknown_isRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> VirtioSettings.parseFault("--virtio-fault", "broken"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--virtio-fault: \"broken\" is not a known fault")
        .hasMessageContaining("used-index-not-restored");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1000000, 1000000"})
  void virtioRequests_withinTheBounds_areRead(String text, long requests) {
    assertThat(VirtioSettings.parseRequests("r", text)).isEqualTo(requests);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1000001", "many", ""})
  void virtioRequests_outside_areRefused(String text) {
    assertThatThrownBy(() -> VirtioSettings.parseRequests("r", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("r: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "100B", "4097B", "1.5KiB"})
  void ram_notAMultipleOfThePageSize_isRefused(String text) {
    assertThatThrownBy(() -> GuestSettings.parseRam("ram", text)).hasMessageContaining("4096");
  }
}
