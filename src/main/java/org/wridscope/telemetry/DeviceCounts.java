// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.wridscope.verbs.DeviceCounter;

/** What devices have counted since a session began. Thread-safe. */
public final class DeviceCounts {
  private final SortedMap<DeviceCounter, Count> counts = new TreeMap<>();

  /**
   * How much a counter has counted.
   *
   * @param value unsigned, in the unit of the counter
   * @param atLeast whether it was set back meanwhile, so that it may have been more
   */
  public record Count(long value, boolean atLeast) {}

  /** Notes how much a counter has counted until now. */
  public synchronized void set(DeviceCounter counter, Count count) {
    counts.put(counter, count);
  }

  /** Those that have counted something, by device, port and name. */
  public synchronized Map<DeviceCounter, Count> all() {
    return new TreeMap<>(counts);
  }
}
