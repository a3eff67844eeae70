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
import org.wridscope.settings.GuestSetting;

/** The parsers of the types of settings. */
final class SettingsTest {

  @ParameterizedTest
  @EnumSource
  void virtioFault_isFoundByItsName(VirtioFault fault) {
    assertThat(GuestSetting.VIRTIO_FAULT.parse("f", fault.text())).isEqualTo(fault);
  }

  @Test
  void virtioFault_caseAndSpacesDoNotMatter() {
    assertThat(GuestSetting.VIRTIO_FAULT.parse("f", " In-Flight-Forgotten "))
        .isEqualTo(VirtioFault.IN_FLIGHT_FORGOTTEN);
  }

  @Test
  void virtioFault_unknown_isRefusedWithTheKnownOnes() {
    assertThatThrownBy(() -> GuestSetting.VIRTIO_FAULT.parse("--virtio-fault", "broken"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--virtio-fault: \"broken\" is not a known fault")
        .hasMessageContaining("used-index-not-restored");
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1000000, 1000000"})
  void virtioRequests_withinTheBounds_areRead(String text, long requests) {
    assertThat(GuestSetting.VIRTIO_REQUESTS.parse("r", text)).hasValue(requests);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1000001", "many"})
  void virtioRequests_outside_areRefused(String text) {
    assertThatThrownBy(() -> GuestSetting.VIRTIO_REQUESTS.parse("r", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("r: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "100B", "4097B", "1.5KiB"})
  void ram_notAMultipleOfThePageSize_isRefused(String text) {
    assertThatThrownBy(() -> GuestSetting.RAM.parse("ram", text)).hasMessageContaining("4096");
  }
}
