// SPDX-License-Identifier: Apache-2.0
package org.wridscope.telemetry;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Samples of all metrics from the start of the session to now, in bounded memory: when it is full,
 * every second sample is discarded and sampling continues at half the rate. Thread-safe.
 */
public final class History {
  private static final Metric[] METRICS = Metric.values();

  /**
   * Ten seconds at fifty samples a second: most sessions are short, and their histories are kept.
   */
  private static final int FIRST_CAPACITY = 512;

  private final int capacity;
  private long[] times;
  private final long[][] values;
  private int size;
  private int stride = 1;
  private int skipped;
  private long shownUntil = Long.MAX_VALUE;

  /**
   * @param capacity upper limit of the number of samples, even and at least 2
   */
  public History(int capacity) {
    if (capacity < 2 || capacity % 2 != 0) {
      throw new IllegalArgumentException("capacity " + capacity + " is not even");
    }
    this.capacity = capacity;
    int first = Math.min(capacity, FIRST_CAPACITY);
    times = new long[first];
    values = new long[METRICS.length][first];
  }

  /**
   * Adds a sample.
   *
   * @param nanos {@link System#nanoTime()}, not before that of the last sample
   */
  public synchronized void add(long nanos, Metrics metrics) {
    if (++skipped < stride) {
      return;
    }
    skipped = 0;
    if (size == capacity) {
      thin();
    } else if (size == times.length) {
      grow();
    }
    times[size] = nanos;
    for (Metric metric : METRICS) {
      values[metric.ordinal()][size] = metrics.get(metric);
    }
    size++;
  }

  private void grow() {
    int length = Math.min(capacity, 2 * size);
    times = Arrays.copyOf(times, length);
    for (int i = 0; i < values.length; i++) {
      values[i] = Arrays.copyOf(values[i], length);
    }
  }

  private void thin() {
    for (int i = 0; i < capacity / 2; i++) {
      times[i] = times[2 * i];
      for (long[] column : values) {
        column[i] = column[2 * i];
      }
    }
    size = capacity / 2;
    stride *= 2;
  }

  /** For a replayed session: hides samples after this moment. */
  synchronized void showUntil(long nanos) {
    shownUntil = nanos;
  }

  /** The number of samples. */
  public synchronized int size() {
    return shownUntil == Long.MAX_VALUE ? size : indexOf(shownUntil + 1);
  }

  /** Upper limit of the number of samples, and the length of buffers for {@link #copy}. */
  public int capacity() {
    return capacity;
  }

  /**
   * Copies the samples of a time range, and one more on each side so that lines reach both edges.
   *
   * @param from {@link System#nanoTime()} of the left edge
   * @param to {@link System#nanoTime()} of the right edge
   * @param metrics the columns
   * @param intoTimes at least {@link #capacity()} long
   * @param intoValues one column for each metric, each at least {@link #capacity()} long
   * @return how many samples were copied
   */
  public synchronized int copy(
      long from, long to, Metric[] metrics, long[] intoTimes, long[][] intoValues) {
    int first = Math.max(0, indexOf(from) - 1);
    int end = Math.min(size(), indexOf(to) + 1);
    int count = Math.max(0, end - first);
    System.arraycopy(times, first, intoTimes, 0, count);
    for (int i = 0; i < metrics.length; i++) {
      System.arraycopy(values[metrics[i].ordinal()], first, intoValues[i], 0, count);
    }
    return count;
  }

  /** Receives samples, oldest first. */
  @FunctionalInterface
  public interface Reader {
    /** Receives a sample; the metrics object is reused for the next one. */
    void sample(long nanos, Metrics metrics);
  }

  /** Passes all samples to a reader. The history is locked meanwhile. */
  public synchronized void forEach(Reader reader) {
    var metrics = new Metrics();
    int count = size();
    for (int i = 0; i < count; i++) {
      for (Metric metric : METRICS) {
        metrics.set(metric, values[metric.ordinal()][i]);
      }
      reader.sample(times[i], metrics);
    }
  }

  /** The last sample at or before a moment, null when there is none. */
  public synchronized @Nullable Metrics lastBefore(long nanos) {
    int index = Math.min(size(), indexOf(nanos + 1)) - 1;
    if (index < 0) {
      return null;
    }
    var metrics = new Metrics();
    for (Metric metric : METRICS) {
      metrics.set(metric, values[metric.ordinal()][index]);
    }
    return metrics;
  }

  /** Index of the first sample at or after this time. */
  private int indexOf(long nanos) {
    int found = Arrays.binarySearch(times, 0, size, nanos);
    return found < 0 ? -found - 1 : found;
  }
}
