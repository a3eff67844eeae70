// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.memory.ShownState;

final class PaletteTest {

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void text_onTheGround_canBeRead(boolean dark) {
    for (Palette text : List.of(Palette.TEXT, Palette.CURSOR, Palette.LIMIT)) {
      assertThat(contrast(text.argb(dark), Palette.GROUND.argb(dark)))
          .as("%s, dark %s", text, dark)
          .isGreaterThanOrEqualTo(4.5);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shownStates_haveColoursOfTheirOwn(boolean dark) {
    assertThat(Arrays.stream(ShownState.values()).map(state -> Palette.of(state).argb(dark)))
        .doesNotHaveDuplicates();
  }

  @Test
  void argb_allColours_areOpaque() {
    for (Palette colour : Palette.values()) {
      assertThat(colour.argb(true) >>> 24).isEqualTo(255);
      assertThat(colour.color(false).getOpacity()).isEqualTo(1);
    }
    assertThat(Palette.SEND.web(false)).isEqualTo("#0072b2");
  }

  /** Contrast ratio of WCAG 2.1, 1 to 21. */
  private static double contrast(int a, int b) {
    double light = Math.max(luminance(a), luminance(b));
    double dark = Math.min(luminance(a), luminance(b));
    return (light + 0.05) / (dark + 0.05);
  }

  private static double luminance(int argb) {
    return 0.2126 * linear(argb >> 16 & 255)
        + 0.7152 * linear(argb >> 8 & 255)
        + 0.0722 * linear(argb & 255);
  }

  private static double linear(int channel) {
    double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
  }
}
