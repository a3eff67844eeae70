// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ColumnsTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void fill_ofRandomPoints_hasTheExtremesOfTheLineInEachColumn(long seed) {
    var random = new SplittableRandom(seed);
    for (int round = 0; round < 100; round++) {
      int width = random.nextInt(1, 60);
      int count = random.nextInt(0, 200);
      long[] times = new long[count];
      double[] values = new double[count];
      long time = random.nextLong(2000);
      for (int i = 0; i < count; i++) {
        time += random.nextInt(4) == 0 ? random.nextLong(800) : random.nextLong(20);
        times[i] = time;
        values[i] = random.nextInt(9) == 0 ? Double.NaN : random.nextDouble(100);
      }
      long left = random.nextLong(1500);
      var columns = new Columns();
      columns.place(0, left, left + random.nextLong(1, 5000), width);
      columns.fill(times, values, count, false, Long.MAX_VALUE);
      double largest = 0;
      for (int x = 0; x < width; x++) {
        String what = "seed %d, round %d, column %d".formatted(seed, round, x);
        double[] expected = extremes(columns, times, values, count, x);
        if (Double.isNaN(expected[0])) {
          assertThat(columns.low(x)).as(what).isNaN();
        } else {
          assertThat((double) columns.low(x)).as(what).isEqualTo(expected[0], Offset.offset(1e-3));
          assertThat((double) columns.high(x)).as(what).isEqualTo(expected[1], Offset.offset(1e-3));
          largest = Math.max(largest, expected[1]);
        }
      }
      assertThat(columns.largest()).isEqualTo(largest, Offset.offset(1e-3));
    }
  }

  /** Computes the extremes from every segment in every column, where it enters and leaves it. */
  private static double[] extremes(
      Columns columns, long[] times, double[] values, int count, int x) {
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      double here = columns.xOf(times[i]);
      if (!Double.isNaN(values[i]) && here >= x && here < x + 1) {
        low = Math.min(low, values[i]);
        high = Math.max(high, values[i]);
      }
      if (i > 0 && !Double.isNaN(values[i]) && !Double.isNaN(values[i - 1])) {
        double before = columns.xOf(times[i - 1]);
        double from = Math.max(x, before);
        double to = Math.min(x + 1, here);
        if (from < to) {
          for (double at : new double[] {from, to}) {
            double share = (at - before) / (here - before);
            double value = values[i - 1] + share * (values[i] - values[i - 1]);
            low = Math.min(low, value);
            high = Math.max(high, value);
          }
        }
      }
    }
    return low > high ? new double[] {Double.NaN, Double.NaN} : new double[] {low, high};
  }

  @Test
  void place_whileTimePasses_movesByWholeColumns() {
    var columns = new Columns();
    for (long left = 1000; left < 3000; left += 7) {
      columns.place(1000, left, left + 640, 64);
      assertThat((columns.timeOf(0) - 1000) % 10).isZero();
      assertThat(Math.abs(columns.timeOf(0) - left)).isLessThanOrEqualTo(5);
    }
  }

  @Test
  void placedElsewhere_lessThanAColumnAway_isFalse() {
    var columns = new Columns();
    columns.place(0, 1000, 2000, 100);
    assertThat(columns.placedElsewhere(0, 1000, 2000, 100)).isFalse();
    assertThat(columns.placedElsewhere(0, 1004, 2004, 100)).isFalse();
    assertThat(columns.placedElsewhere(0, 1010, 2010, 100)).isTrue();
    assertThat(columns.placedElsewhere(0, 1000, 2100, 100)).isTrue();
    assertThat(columns.placedElsewhere(0, 1000, 2000, 101)).isTrue();
  }

  @Test
  void fill_inSteps_keepsEachValueUntilTheNext() {
    var columns = new Columns();
    columns.place(0, 0, 100, 10);
    columns.fill(new long[] {5, 55, 85}, new double[] {10, 40, 20}, 3, true, 1);
    for (int x = 0; x < 9; x++) {
      float low = x <= 5 ? 10 : x < 8 ? 40 : 20;
      float high = x < 5 ? 10 : 40;
      assertThat(columns.low(x)).as("low of column %d", x).isEqualTo(low);
      assertThat(columns.high(x)).as("high of column %d", x).isEqualTo(high);
    }
    assertThat(columns.low(9)).isNaN();
    assertThat(columns.straight(3)).isTrue();
    assertThat(columns.straight(5)).isFalse();
  }

  @Test
  void fill_inStepsFromBeforeTheLeftEdge_reachesIt() {
    var columns = new Columns();
    columns.place(0, 100, 200, 10);
    columns.fill(new long[] {0, 150, 300}, new double[] {7, 3, 9}, 3, true, 1);
    assertThat(columns.low(0)).isEqualTo(7);
    assertThat(columns.high(0)).isEqualTo(7);
    assertThat(columns.low(9)).isEqualTo(3);
    assertThat(columns.high(9)).isEqualTo(3);
  }

  @Test
  void fill_ofAveragesOfSparseSamples_keepsEachSinceTheSampleBeforeIt() {
    var columns = new Columns();
    columns.place(0, 0, 100, 10);
    long[] times = {5, 45, 55, 95};
    columns.fill(times, new double[] {Double.NaN, 10, 40, 20}, 4, false, 20);
    for (int x = 0; x < 4; x++) {
      assertThat(columns.low(x)).as("low of column %d", x).isEqualTo(10);
      assertThat(columns.high(x)).as("high of column %d", x).isEqualTo(10);
    }
    // Two samples that are near each other have a slope between them.
    assertThat(columns.low(4)).isEqualTo(10);
    assertThat(columns.high(4)).isEqualTo(25);
    assertThat(columns.low(5)).isEqualTo(20);
    assertThat(columns.high(5)).isEqualTo(40);
    for (int x = 6; x < 10; x++) {
      assertThat(columns.low(x)).as("low of column %d", x).isEqualTo(20);
      assertThat(columns.high(x)).as("high of column %d", x).isEqualTo(20);
    }
  }

  @Test
  void fill_ofNoWidth_doesNothing() {
    var columns = new Columns();
    columns.place(0, 0, 1, 0);
    columns.fill(new long[] {0, 1}, new double[] {1, 2}, 2, false, 1);
    assertThat(columns.largest()).isZero();
  }
}
