// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import javafx.geometry.Rectangle2D;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WindowPlaceTest {
  private static final Rectangle2D LAPTOP = new Rectangle2D(0, 25, 1920, 1055);
  private static final Rectangle2D ABOVE = new Rectangle2D(0, -1440, 2560, 1440);

  @ParameterizedTest
  @CsvSource({
    // where it was, then where it opens on the laptop alone
    "100, 50, 1280, 800,    100, 50, 1280, 800",
    "-600, 50, 1280, 800,   -600, 50, 1280, 800",
    "-1200, 50, 1280, 800,  320, 152.5, 1280, 800",
    "1850, 50, 1280, 800,   320, 152.5, 1280, 800",
    "100, 0, 1280, 800,     320, 152.5, 1280, 800",
    "100, 1070, 1280, 800,  320, 152.5, 1280, 800",
    "200, -1300, 2200, 1300, 0, 25, 1920, 1055",
    "0, 25, 4000, 3000,     0, 25, 1920, 1055",
  })
  void aPlaceThatCannotBeReached_becomesTheMiddleOfTheScreen(
      double x,
      double y,
      double width,
      double height,
      double atX,
      double atY,
      double atWidth,
      double atHeight) {
    assertThat(new WindowPlace(x, y, width, height, true).on(List.of(LAPTOP)))
        .isEqualTo(new WindowPlace(atX, atY, atWidth, atHeight, true));
  }

  @ParameterizedTest
  @CsvSource({"100, 50", "200, -1300"})
  void aPlaceOnAnyScreen_stays(double x, double y) {
    var place = new WindowPlace(x, y, 1280, 800, false);
    assertThat(place.on(List.of(LAPTOP, ABOVE))).isEqualTo(place);
  }
}
