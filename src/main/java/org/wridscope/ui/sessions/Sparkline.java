// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.sessions;

/**
 * The throughput of a migration from its beginning to now in a few samples: when they are full,
 * neighbours are merged and each one stands for twice the time.
 */
public final class Sparkline {
  /** Samples kept, even. */
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
   * Notes a counter.
   *
   * @param nanos later than that of the call before; others are ignored
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

  /** Bytes a second of a sample, the oldest one being 0. */
  public double rate(int sample) {
    return rates[sample];
  }

  /** The highest rate, 0 when there is none. */
  public double peak() {
    double peak = 0;
    for (int i = 0; i < size; i++) {
      peak = Math.max(peak, rates[i]);
    }
    return peak;
  }
}
