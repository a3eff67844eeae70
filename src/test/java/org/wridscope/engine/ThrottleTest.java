// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.wridscope.settings.Settings;

class ThrottleTest {
  private static final int MIB = 1 << 20;
  private static final long SECOND = 1_000_000_000;

  private final MigrationParameters parameters = new MigrationParameters(Settings.USUAL);
  private long now = -SECOND / 2;
  private final Throttle throttle = new Throttle(parameters, () -> now);

  @Test
  void isAlwaysOpen_withoutALimit() {
    for (int i = 0; i < 100; i++) {
      throttle.charge(Integer.MAX_VALUE);
      assertThat(throttle.isOpen()).isTrue();
    }
  }

  @Test
  void opensAgain_whenTheTimeForAWriteHasPassed() {
    parameters.setBandwidthLimit(4 * MIB);
    assertThat(throttle.isOpen()).isTrue();
    throttle.charge(MIB);
    now += SECOND / 4 - 1;
    assertThat(throttle.isOpen()).isFalse();
    now += 1;
    assertThat(throttle.isOpen()).isTrue();
  }

  @Test
  void carriesNoMoreThanTheLimit_inAnySecond() {
    parameters.setBandwidthLimit(100 * MIB);
    long sent = 0;
    for (int millisecond = 0; millisecond < 5000; millisecond++) {
      while (throttle.isOpen()) {
        throttle.charge(MIB);
        sent += MIB;
      }
      now += SECOND / 1000;
    }
    assertThat(sent).isBetween(500L * MIB, 502L * MIB);
  }

  @Test
  void makesUpForLateWrites_byTenMillisecondsAtMost() {
    parameters.setBandwidthLimit(100 * MIB);
    now += 60 * SECOND;
    long sent = 0;
    while (throttle.isOpen()) {
      throttle.charge(1024);
      sent += 1024;
    }
    assertThat(sent).isBetween((long) MIB, MIB + 1024L);
  }

  @Test
  void changedLimit_appliesImmediately() {
    parameters.setBandwidthLimit(1);
    throttle.charge(MIB);
    now += SECOND;
    assertThat(throttle.isOpen()).isFalse();
    parameters.setBandwidthLimit(2L * MIB);
    now += SECOND / 2;
    assertThat(throttle.isOpen()).isTrue();
    throttle.charge(Integer.MAX_VALUE);
    assertThat(throttle.isOpen()).isFalse();
    parameters.setBandwidthLimit(0);
    assertThat(throttle.isOpen()).isTrue();
  }
}
