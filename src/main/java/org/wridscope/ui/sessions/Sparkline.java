// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

/**
 * The throughput of a migration from its beginning to now, in a few samples. When all samples are
 * used, neighbours are merged, so that each sample covers twice the time.
 */
public final class Sparkline {
  /** The largest number of samples; even. */
  public static final int CAPACITY = 96;

  private final double[] rates = new double[CAPACITY];
  private int size;
  private int stride = 1;
  private int pending;
  private double pendingSum;
  private long lastNanos;
  private long lastBytes;
  private boolean primed;

  /**
   * Adds the value of a counter.
   *
   * @param nanos later than in the previous call; otherwise the value is ignored
   */
  void add(long nanos, long bytes) {
    if (primed && nanos > lastNanos) {
      add(Math.max(0, bytes - lastBytes) * 1e9 / (nanos - lastNanos));
    }
    primed = true;
    lastNanos = nanos;
    lastBytes = bytes;
  }

  private void add(double rate) {
    pendingSum += rate;
    if (++pending < stride) {
      return;
    }
    rates[size++] = pendingSum / pending;
    pending = 0;
    pendingSum = 0;
    if (size == CAPACITY) {
      for (int i = 0; i < CAPACITY / 2; i++) {
        rates[i] = (rates[2 * i] + rates[2 * i + 1]) / 2;
      }
      size = CAPACITY / 2;
      stride *= 2;
    }
  }

  public int size() {
    return size;
  }

  /** Bytes per second of a sample; sample 0 is the oldest. */
  public double rate(int sample) {
    return rates[sample];
  }

  /** The highest rate; 0 if there is none. */
  public double peak() {
    double peak = 0;
    for (int i = 0; i < size; i++) {
      peak = Math.max(peak, rates[i]);
    }
    return peak;
  }
}
