// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.ArrayList;
import java.util.List;
import org.wridscope.telemetry.DeviceCounting;
import org.wridscope.verbs.DeviceCounter;

/**
 * When the counters of devices that show trouble were found changed, in this order; only the newest
 * are kept. Times are {@link System#nanoTime()}. Not thread-safe.
 */
public final class DeviceTroubles extends LongTable {
  private static final int NANOS = 0;
  private static final int EVENT = 1;
  private static final int COUNTER = 2;
  private static final int GREW = 3;
  private static final int COLUMNS = 4;

  private final List<DeviceCounter> counters = new ArrayList<>();

  DeviceTroubles(long kept) {
    super(COLUMNS, kept);
  }

  /**
   * @param event the number of the event that tells of it
   * @param grew by how much, unsigned
   */
  void add(long nanos, long event, DeviceCounter counter, long grew) {
    int index = counters.indexOf(counter);
    if (index < 0) {
      index = counters.size();
      counters.add(counter);
    }
    add(nanos, event, index, grew);
  }

  /** The moment of the sample that found it changed. */
  public long nanos(long row) {
    return get(row, NANOS);
  }

  /** The moment of the sample before, since which it has changed. */
  public long sinceNanos(long row) {
    return nanos(row) - DeviceCounting.INTERVAL_NANOS;
  }

  /** The number of the event that tells of it. */
  public long event(long row) {
    return get(row, EVENT);
  }

  /** The first row of a sample at or after a moment. */
  public long indexOf(long nanos) {
    return indexOf(NANOS, nanos);
  }

  /** The row of which an event tells, or -1. */
  public long ofEvent(long event) {
    return rowOf(EVENT, event);
  }

  /** The row after those of the same sample, whose moments differ a little. */
  public long endOfSample(long row) {
    return indexOf(NANOS, nanos(row) + DeviceCounting.INTERVAL_NANOS / 2);
  }

  /** For example {@code rxe0 port 1: 3 completer_retry_err}. */
  public String text(long row) {
    DeviceCounter counter = counters.get((int) get(row, COUNTER));
    return "%s: %s %s"
        .formatted(counter.place(), CountedByDevice.unsigned(get(row, GREW)), counter.name());
  }
}
