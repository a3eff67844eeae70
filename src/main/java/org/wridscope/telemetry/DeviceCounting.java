// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.wridscope.telemetry.DeviceCounts.Count;
import org.wridscope.verbs.DeviceCounter;

/**
 * Makes of the values that counters have at some moments what they have counted since the first
 * one. Not thread-safe.
 */
public final class DeviceCounting {
  /** From one sample to the next; what one tells has happened since the one before. */
  public static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** More counters that change are left out: each takes a name of its session. */
  static final int MOST_CHANGED = 1024;

  private final Map<DeviceCounter, Long> values = new HashMap<>();
  private final Map<DeviceCounter, Count> counts = new HashMap<>();

  /** Counts from these values on, and not what led to them. */
  public void begin(Map<DeviceCounter, Long> present) {
    values.putAll(present);
  }

  /**
   * Compares with the values before. A counter that was not known before counts from now on. One
   * that went past its 64 bits goes on; one that is lower otherwise was set back, and has counted
   * at least what it shows.
   *
   * @param present unsigned; counters that are not known are not there
   * @return what those counters that changed have counted since the beginning
   */
  public SortedMap<DeviceCounter, Count> advance(Map<DeviceCounter, Long> present) {
    var changed = new TreeMap<DeviceCounter, Count>();
    present.forEach((counter, value) -> {
      Long before = values.put(counter, value);
      if (before == null || before.equals(value)) {
        return;
      }
      Count count = counts.get(counter);
      if (count == null && counts.size() == MOST_CHANGED) {
        return;
      }
      // Less than half of the range: it has grown, or wrapped.
      boolean setBack = value - before < 0;
      Count counted =
          new Count(
              (count == null ? 0 : count.value()) + (setBack ? value : value - before),
              setBack || (count != null && count.atLeast()));
      counts.put(counter, counted);
      changed.put(counter, counted);
    });
    return changed;
  }
}
