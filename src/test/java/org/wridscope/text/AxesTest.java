// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AxesTest {

  @ParameterizedTest
  @CsvSource({
    "COUNT, 0, 0",
    "COUNT, 1500, '1,500'",
    "COUNT, 20000, 20 k",
    "COUNT, 2500000, 2.5 M",
    "COUNT_PER_SECOND, 500, 500/s",
    "BYTES, 1610612736, 1.5 GiB",
    "BYTES_PER_SECOND, 268435456, 256 MiB/s",
    "NANOSECONDS, 250000, 250 µs",
    "NANOSECONDS, 2000000000, 2 s",
    "SHARE, 0.25, 25 %"
  })
  void tick_hasNoTrailingZeros(AxisUnit unit, double value, String text) {
    assertThat(unit.tick(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @EnumSource
  void axis_reachesItsLargestValue_withoutTooManyTicks(AxisUnit unit) {
    var random = new SplittableRandom(unit.ordinal());
    for (int i = 0; i < 3000; i++) {
      double largest = Math.pow(10, random.nextDouble(-3, 13));
      int ticks = random.nextInt(1, 9);
      ValueAxis axis = ValueAxis.of(unit, largest, ticks);
      String what = "%s, largest %f, ticks %d: %s".formatted(unit, largest, ticks, axis);
      assertThat(axis.top()).as(what).isGreaterThanOrEqualTo(largest);
      assertThat(axis.ticks()).as(what).isBetween(1, ticks);
      assertThat(axis.yOf(0, 100)).as(what).isEqualTo(100);
      assertThat(axis.yOf(axis.top(), 100)).as(what).isZero();
      assertThat(axis.adapted(largest, ticks)).as(what).isNotNull();
    }
  }

  @Test
  void adapted_toASlightlySmallerValue_isTheSameAxis() {
    ValueAxis axis = ValueAxis.of(AxisUnit.COUNT, 95, 5);
    assertThat(axis.adapted(70, 5)).isSameAs(axis);
    assertThat(axis.adapted(20, 5).top()).isLessThan(axis.top());
    assertThat(axis.adapted(1000, 5).top()).isGreaterThanOrEqualTo(1000);
    assertThat(axis.adapted(70, 1).ticks()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void timeTicks_lieWithinTheirInterval_andAreNotTooMany(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 3000; i++) {
      long left = random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L);
      long span = (long) Math.pow(10, random.nextDouble(3, 15));
      int most = random.nextInt(1, 12);
      TimeTicks ticks = TimeTicks.of(left, left + span, most);
      String what =
          "seed %d, left %d, span %d, most %d: %s".formatted(seed, left, span, most, ticks);
      assertThat(ticks.count()).as(what).isBetween(0, most + 1);
      for (int k = 0; k < ticks.count(); k++) {
        assertThat(ticks.at(k)).as(what).isBetween(left, left + span);
        assertThat(ticks.at(k) % ticks.step()).as(what).isZero();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1000000000, 0 s",
    "2500000000, 500000000, 2.5 s",
    "-1000000000, 1000000000, -1 s",
    "12345678900, 1000000, 12.346 s",
    "25000000, 5000000, 0.025 s",
    "500, 100, 0.5 µs",
    "-12300, 100, -12.3 µs",
    "0, 10000, 0.00 ms",
    "1500000, 500000, 1.5 ms",
    "999999000, 1000, 999.999 ms",
    "1000001000, 1000, 1.000001 s",
    "65000000000, 5000000000, 1:05",
    "65250000000, 250000000, 1:05.2",
    "59990000000, 10000000, 59.99 s",
    "119999000000, 1000000000, 1:59",
    "3725000000000, 1000000000, 1:02:05"
  })
  void label_hasAsManyPlacesAsTheStepNeeds(long nanos, long step, String text) {
    assertThat(TimeTicks.label(nanos, step)).isEqualTo(text);
  }
}
