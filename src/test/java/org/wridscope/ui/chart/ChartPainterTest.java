// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.text.AxisUnit;
import org.wridscope.text.ValueAxis;
import org.wridscope.ui.Palette;
import org.wridscope.ui.raster.Pen;
import org.wridscope.ui.raster.Pixels;

final class ChartPainterTest {
  private static final int WIDTH = 40;
  private static final int HEIGHT = 60;
  private static final int GROUND = Palette.GROUND.argb(true);
  private static final int LINE = Palette.IN_TRANSIT.argb(true);

  private final Pixels pixels = Pixels.of(WIDTH, HEIGHT);
  private final ChartPainter painter = new ChartPainter(pixels, new Pen(pixels));
  private final ValueAxis axis = new ValueAxis(AxisUnit.COUNT, 100, 20);

  private static Columns line(long[] times, double[] values) {
    var columns = new Columns();
    columns.place(0, 0, WIDTH * 10L, WIDTH);
    columns.fill(times, values, times.length, false, Long.MAX_VALUE);
    return columns;
  }

  /**
   * The share of a pixel that the line covers, from the channel in which both colours differ most.
   */
  private double inked(int x, int y) {
    int ground = GROUND >> 16 & 0xff;
    return ((pixels.get(x, y) >> 16 & 0xff) - ground) / (double) ((LINE >> 16 & 0xff) - ground);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void line_throughRandomPoints_coversItsOwnPixelsOnly(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 50; round++) {
      int count = random.nextInt(2, 120);
      long[] times = new long[count];
      double[] values = new double[count];
      for (int i = 0; i < count; i++) {
        times[i] = (long) WIDTH * 10 * i / count;
        values[i] = random.nextDouble(100);
      }
      Columns columns = line(times, values);
      painter.begin(true);
      painter.line(columns, axis, Palette.IN_TRANSIT, false);
      for (int x = 0; x < WIDTH; x++) {
        if (Float.isNaN(columns.low(x))) {
          continue;
        }
        double top = painter.yOf(axis, columns.high(x));
        double bottom = painter.yOf(axis, columns.low(x));
        for (int y = 0; y < HEIGHT; y++) {
          String what = "seed %d, round %d, pixel (%d,%d)".formatted(seed, round, x, y);
          if (y >= top && y + 1 <= bottom && !columns.straight(x)) {
            assertThat(inked(x, y)).as(what).isBetween(0.98, 1.02);
          } else if (y + 1 < top - 2.2 || y > bottom + 2.2) {
            assertThat(pixels.get(x, y)).as(what).isEqualTo(GROUND);
          }
        }
        double sum = 0;
        for (int y = 0; y < HEIGHT; y++) {
          sum += inked(x, y);
        }
        assertThat(sum)
            .as("seed %d, round %d, ink of column %d", seed, round, x)
            .isBetween(Math.min(1.3, HEIGHT - top - 1), bottom - top + 2.2);
      }
    }
  }

  @Test
  void line_thatLeans_coversTheSameAreaInEveryColumn() {
    Columns columns = line(new long[] {-100, 500}, new double[] {10, 40});
    painter.begin(true);
    painter.line(columns, axis, Palette.IN_TRANSIT, false);
    for (int x = 0; x < WIDTH; x++) {
      double sum = 0;
      for (int y = 0; y < HEIGHT; y++) {
        sum += inked(x, y);
      }
      assertThat(sum).as("column %d", x).isBetween(1.45, 1.75);
    }
  }

  @Test
  void area_belowALine_reachesToZeroAndNotAbove() {
    Columns columns = line(new long[] {0, 400}, new double[] {50, 50});
    painter.begin(true);
    painter.area(columns, axis, Palette.IN_TRANSIT);
    int middle = (int) painter.yOf(axis, 50);
    for (int x = 0; x < WIDTH - 1; x++) {
      assertThat(pixels.get(x, middle - 2)).isEqualTo(GROUND);
      assertThat(pixels.get(x, middle + 2)).isNotEqualTo(GROUND);
      assertThat(pixels.get(x, HEIGHT - 3)).isNotEqualTo(GROUND);
    }
  }

  @Test
  void waits_areShadedByTheirShare() {
    Columns columns = line(new long[0], new double[0]);
    painter.begin(true);
    float[] shares = new float[WIDTH];
    shares[3] = 1;
    shares[4] = 0.5f;
    painter.waits(columns, shares);
    int wait = Palette.WAIT.argb(true);
    boolean whole = false;
    for (int y = 0; y < HEIGHT; y++) {
      whole |= pixels.get(3, y) == wait;
      assertThat(pixels.get(3, y)).isNotEqualTo(GROUND);
      assertThat(pixels.get(4, y)).isNotEqualTo(GROUND).isNotEqualTo(wait);
      assertThat(pixels.get(5, y)).isEqualTo(GROUND);
    }
    assertThat(whole).isTrue();
  }

  @Test
  void parts_thatLieOutside_areLeftOut() {
    painter.begin(true);
    for (double x : new double[] {-1000, -3, WIDTH - 1, WIDTH + 2, 1e6}) {
      painter.cross(x, 5);
      painter.cross(5, x);
    }
    painter.ceiling(axis, 1e6);
    painter.ceiling(axis, 50);
    assertThat(pixels.get(0, (int) painter.yOf(axis, 50))).isEqualTo(Palette.LIMIT.argb(true));
  }
}
