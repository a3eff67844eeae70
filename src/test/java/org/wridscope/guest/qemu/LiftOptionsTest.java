// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LiftOptionsTest {

  @ParameterizedTest
  @EnumSource
  void dirtyLog_isReadAsItIsWritten(DirtyLogChoice choice) {
    assertThat(DirtyLogChoice.parse("--dirty-log", choice.text())).isEqualTo(choice);
  }

  @Test
  void dirtyLog_isReadInAnyCase() {
    assertThat(DirtyLogChoice.parse("--dirty-log", " Soft-Dirty "))
        .isEqualTo(DirtyLogChoice.SOFT_DIRTY);
  }

  @Test
  void dirtyLog_unknown_isRefusedWithAllThatThereAre() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DirtyLogChoice.parse("--dirty-log", "kvm"))
        .withMessage(
            "--dirty-log: \"kvm\" is not a dirty log; write auto, userfaultfd, soft-dirty,"
                + " compare.");
  }

  @ParameterizedTest
  @CsvSource({"off, 0", "OFF, 0", "1, 1", "50%, 50", "99, 99", "' 7% ', 7"})
  void throttle_isReadAsPercent(String text, int percent) {
    assertThat(Throttle.parse("--throttle", text)).isEqualTo(new Throttle(percent));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 42, 99})
  void throttle_isReadAsItIsWritten(int percent) {
    var throttle = new Throttle(percent);
    assertThat(Throttle.parse("--throttle", throttle.text())).isEqualTo(throttle);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "100", "-1", "0.5", "50%%", "on", "%"})
  void throttle_outOfRangeOrNoNumber_isRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Throttle.parse("--throttle", text))
        .withMessageContaining("is not a throttle; write off or 1% to 99%.");
  }
}
