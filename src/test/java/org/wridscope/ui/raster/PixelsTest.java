// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.raster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PixelsTest {
  private static final int BLACK = 0xff000000;
  private static final int WHITE = 0xffffffff;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void run_coversEachPixelByTheShareWithinIt(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 2000; i++) {
      Pixels pixels = Pixels.of(3, 12);
      pixels.clear(BLACK);
      double top = random.nextDouble(-4, 14);
      double bottom = top + random.nextDouble(0, 9);
      pixels.run(1, top, bottom, WHITE);
      for (int y = 0; y < 12; y++) {
        double covered = Math.clamp(Math.min(bottom, y + 1) - Math.max(top, y), 0.0, 1.0);
        assertThat((pixels.get(1, y) & 0xff) / 255.0)
            .as("seed %d, run %f to %f, pixel %d", seed, top, bottom, y)
            .isBetween(covered - 0.02, covered + 0.02);
        assertThat(pixels.get(0, y)).isEqualTo(BLACK);
        assertThat(pixels.get(2, y)).isEqualTo(BLACK);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void fill_setsWhatLiesWithinAndNothingElse(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 1000; i++) {
      Pixels pixels = Pixels.of(9, 7);
      pixels.clear(BLACK);
      int x0 = random.nextInt(-5, 12);
      int y0 = random.nextInt(-5, 12);
      int x1 = random.nextInt(-5, 15);
      int y1 = random.nextInt(-5, 15);
      pixels.fill(x0, y0, x1, y1, WHITE);
      for (int y = 0; y < 7; y++) {
        for (int x = 0; x < 9; x++) {
          boolean inside = x >= x0 && x < x1 && y >= y0 && y < y1;
          assertThat(pixels.get(x, y))
              .as("seed %d, (%d,%d) to (%d,%d), pixel (%d,%d)", seed, x0, y0, x1, y1, x, y)
              .isEqualTo(inside ? WHITE : BLACK);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5})
  void mix_ofEachChannelLiesOnTheLineBetweenBoth(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 5000; i++) {
      int from = random.nextInt() | BLACK;
      int to = random.nextInt() | BLACK;
      int share = random.nextInt(Argb.WHOLE + 1);
      int mixed = Argb.mix(from, to, share);
      for (int shift = 0; shift <= 24; shift += 8) {
        int a = from >>> shift & 0xff;
        int b = to >>> shift & 0xff;
        double expected = a + (b - a) * share / 256.0;
        assertThat((double) (mixed >>> shift & 0xff))
            .as("seed %d, %08x to %08x, share %d, bits from %d", seed, from, to, share, shift)
            .isBetween(expected - 1, expected + 1);
      }
    }
  }
}
