// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With a clock that the tests set. */
final class PacerTest {
  private static final long SECOND = 1_000_000_000;

  private static long writeAllDue(Pacer pacer) {
    long wrote = 0;
    while (pacer.isDue()) {
      pacer.wrote();
      wrote++;
    }
    return wrote;
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.5, 3, 1000, 51_200, 2_000_000})
  void anyTimesOfWaking_keepTheRate(double rate) {
    RandomGenerator random = RandomGeneratorFactory.getDefault().create(8);
    Pacer pacer = new Pacer(rate);
    long now = -5 * SECOND;
    pacer.skipTo(now);
    long end = now + 20 * SECOND;
    long wrote = 0;
    while (now < end) {
      now += random.nextLong(1, SECOND / 4);
      pacer.advanceTo(now);
      wrote += writeAllDue(pacer);
    }
    assertThat((double) wrote)
        .isCloseTo(rate * (now + 5 * SECOND) / SECOND, within(1 + rate / 1e6));
  }

  @Test
  void skipTo_leavesTheTimeOut() {
    Pacer pacer = new Pacer(1000);
    pacer.skipTo(0);
    pacer.skipTo(SECOND);
    pacer.advanceTo(SECOND + SECOND / 10);
    assertThat(writeAllDue(pacer)).isBetween(99L, 100L);
  }

  @Test
  void whatIsLateByMoreThanASecond_isForgiven() {
    Pacer pacer = new Pacer(1000);
    pacer.skipTo(0);
    pacer.advanceTo(100 * SECOND);
    assertThat(writeAllDue(pacer)).isBetween(1000L, 1001L);
  }

  @Test
  void sleepNanos_isUntilAPageIsDue_withinSense() {
    Pacer slow = new Pacer(10);
    slow.skipTo(0);
    assertThat(slow.sleepNanos()).isBetween(SECOND / 10 - 1000, SECOND / 10 + 1000);
    slow.advanceTo(SECOND / 5);
    assertThat(slow.sleepNanos()).isZero();
    Pacer fast = new Pacer(1e6);
    assertThat(fast.sleepNanos()).isEqualTo(SECOND / 1000);
    Pacer hardlyEver = new Pacer(1e-6);
    assertThat(hardlyEver.sleepNanos()).isEqualTo(SECOND);
  }
}
