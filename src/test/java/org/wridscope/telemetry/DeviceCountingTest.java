// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.wridscope.telemetry.DeviceCounts.Count;
import org.wridscope.verbs.DeviceCounter;

/** What is told of a counter is what it has counted since the beginning. */
final class DeviceCountingTest {
  private static final DeviceCounter SENT = new DeviceCounter("rxe0", 1, "sent_pkts");
  private static final DeviceCounter RETRIED = new DeviceCounter("rxe0", 1, "completer_retry_err");

  private final DeviceCounting counting = new DeviceCounting();

  private static Count exactly(long value) {
    return new Count(value, false);
  }

  private static Count atLeast(long value) {
    return new Count(value, true);
  }

  @Test
  void onlyWhatChanged_isTold_countedFromTheBeginning() {
    counting.begin(Map.of(SENT, 100L, RETRIED, 5L));
    assertThat(counting.advance(Map.of(SENT, 100L, RETRIED, 5L))).isEmpty();
    assertThat(counting.advance(Map.of(SENT, 130L, RETRIED, 5L)))
        .containsOnly(Map.entry(SENT, exactly(30)));
    assertThat(counting.advance(Map.of(SENT, 130L, RETRIED, 6L)))
        .containsOnly(Map.entry(RETRIED, exactly(1)));
    assertThat(counting.advance(Map.of(SENT, 131L, RETRIED, 6L)))
        .containsOnly(Map.entry(SENT, exactly(31)));
  }

  @Test
  void counterThatIsNotKnown_isNoZero() {
    counting.begin(Map.of(RETRIED, 5L));
    // It appears, disappears, and is there again.
    assertThat(counting.advance(Map.of(RETRIED, 5L, SENT, 1000L))).isEmpty();
    assertThat(counting.advance(Map.of(RETRIED, 5L))).isEmpty();
    assertThat(counting.advance(Map.of(RETRIED, 5L, SENT, 1002L)))
        .containsOnly(Map.entry(SENT, exactly(2)));
  }

  @Test
  void past64Bits_itGoesOn() {
    counting.begin(Map.of(SENT, -3L));
    assertThat(counting.advance(Map.of(SENT, 4L))).containsOnly(Map.entry(SENT, exactly(7)));
    counting.begin(Map.of(RETRIED, Long.MAX_VALUE));
    assertThat(counting.advance(Map.of(RETRIED, Long.MIN_VALUE)))
        .containsOnly(Map.entry(RETRIED, exactly(1)));
  }

  @Test
  void setBack_itHasCountedAtLeastWhatItShows() {
    counting.begin(Map.of(SENT, 100L));
    assertThat(counting.advance(Map.of(SENT, 110L))).containsValue(exactly(10));
    assertThat(counting.advance(Map.of(SENT, 4L))).containsValue(atLeast(14));
    assertThat(counting.advance(Map.of(SENT, 5L))).containsValue(atLeast(15));
  }

  @Test
  void whatOthersCountedBeforeItBegan_isLeftOut_andWhatWasCounted_stays() {
    counting.begin(Map.of(SENT, 100L));
    counting.begin(Map.of(SENT, 200L));
    assertThat(counting.advance(Map.of(SENT, 201L))).containsValue(exactly(1));
    counting.begin(Map.of(SENT, 300L));
    assertThat(counting.advance(Map.of(SENT, 302L))).containsValue(exactly(3));
  }

  @Test
  void moreCountersThanAnyDeviceHas_areNotAllTold() {
    var values = new HashMap<DeviceCounter, Long>();
    for (int i = 0; i < DeviceCounting.MOST_CHANGED + 10; i++) {
      values.put(new DeviceCounter("rxe0", 1, "counter" + i), 0L);
    }
    counting.begin(values);
    values.replaceAll((_, _) -> 1L);
    assertThat(counting.advance(values)).hasSize(DeviceCounting.MOST_CHANGED);
  }
}
