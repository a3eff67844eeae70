// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.soft.SoftDevice;
import org.wridscope.verbs.soft.SoftFabric;
import org.wridscope.verbs.soft.TinyDevice;

/** Queue depths never exceed what a device supports, and are enough for the protocol. */
final class QueueDepthsTest {
  private static QueueDepths depths(int workRequests, int completions, boolean shared)
      throws Exception {
    SoftDevice device = new SoftFabric().open("small0");
    try (RdmaDevice _ = device) {
      device.setFaultPlan(TinyDevice.queues(workRequests, completions));
      return Endpoint.depths(device, shared);
    }
  }

  @Test
  void largeDevice_isAskedForWhatQemuAsks() throws Exception {
    QueueDepths depths = depths(16_384, 32_767, false);
    assertThat(depths).isEqualTo(new QueueDepths(512, 4)).isEqualTo(depths(512, 516, true));
    assertThat(depths.messages()).isEqualTo(4);
    assertThat(depths.writes()).isEqualTo(508);
    assertThat(SendQueue.mostBetweenSignals(depths))
        .isGreaterThanOrEqualTo(SendQueue.SIGNAL_INTERVAL);
  }

  @Test
  void everyLimitThatSuffices_isKept_andLeavesRoomForBothKinds() throws Exception {
    for (boolean shared : new boolean[] {false, true}) {
      for (int workRequests = 3; workRequests < 40; workRequests++) {
        for (int completions = shared ? 5 : 3; completions < 40; completions++) {
          QueueDepths depths = depths(workRequests, completions, shared);
          String which = "%d, %d: %s".formatted(workRequests, completions, depths);
          assertThat(depths.sends()).as(which).isBetween(3, workRequests);
          assertThat(depths.receives()).as(which).isBetween(2, Math.min(4, workRequests));
          assertThat(shared ? depths.sends() + depths.receives() : depths.sends())
              .as(which)
              .isLessThanOrEqualTo(completions);
          assertThat(depths.receives()).as(which).isLessThanOrEqualTo(completions);
          assertThat(depths.messages()).as(which).isBetween(2, 4);
          assertThat(depths.writes()).as(which).isPositive();
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2|100|false|The device small0 supports 2 work requests in a queue (max_qp_wr), but a"
            + " migration needs 3; use another device.",
        "9|2|false|The device small0 supports 2 entries in a completion queue (max_cqe), but a"
            + " migration needs 3; use another device.",
        "9|4|true|The device small0 supports 4 entries in a completion queue (max_cqe), but a"
            + " migration needs 5; use another device."
      })
  void tooLittle_isToldWithTheAttribute(
      int workRequests, int completions, boolean shared, String sentence) {
    assertThatExceptionOfType(MigrationException.class)
        .isThrownBy(() -> depths(workRequests, completions, shared))
        .withMessage(sentence);
  }
}
