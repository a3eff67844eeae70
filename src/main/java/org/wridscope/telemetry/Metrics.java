// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;

/** The values of all {@link Metric}s of one session. One thread writes, any thread reads. */
public final class Metrics {
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] values = new long[Metric.values().length];

  public long get(Metric metric) {
    return (long) LONGS.getOpaque(values, metric.ordinal());
  }

  public void set(Metric metric, long value) {
    LONGS.setOpaque(values, metric.ordinal(), value);
  }

  public void add(Metric metric, long amount) {
    LONGS.setOpaque(values, metric.ordinal(), values[metric.ordinal()] + amount);
  }

  public void increment(Metric metric) {
    add(metric, 1);
  }

  /** Adds the counters of others, and takes over their gauges that are not zero. */
  void include(Metrics others) {
    for (Metric metric : Metric.values()) {
      long value = others.get(metric);
      if (metric.kind() == Metric.Kind.COUNTER) {
        add(metric, value);
      } else if (value != 0) {
        set(metric, value);
      }
    }
  }

  /** Whether sends and receives complete in one queue. */
  public boolean sharesCompletionQueue() {
    return get(Metric.COMPLETION_QUEUE_SHARED) > 0;
  }

  /**
   * How much of this end's RAM had memory of the host.
   *
   * @param when {@link Metric#RAM_IN_USE_BEFORE} or {@link Metric#RAM_IN_USE_AFTER}
   * @return bytes; empty if that is not known
   */
  public OptionalLong inUse(Metric when) {
    long value = get(when);
    return value == 0 ? OptionalLong.empty() : OptionalLong.of(value == 1 ? 0 : value);
  }

  /** Notes {@link #inUse}, in bytes. */
  public void setInUse(Metric when, long bytes) {
    set(when, Math.max(1, bytes));
  }

  /** A copy of the present values. */
  public Metrics copy() {
    var copy = new Metrics();
    for (Metric metric : Metric.values()) {
      copy.set(metric, get(metric));
    }
    return copy;
  }
}
