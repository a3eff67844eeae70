// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest;

/**
 * Computes how many pages are due at a rate. It counts by the clock, so that the rate is met on
 * average whenever the thread runs; a delay of more than a second is not made up for.
 */
final class Pacer {
  private static final double FORGIVEN_NANOS = 1e9;
  private static final long MIN_SLEEP_NANOS = 1_000_000;
  private static final long MAX_SLEEP_NANOS = 1_000_000_000;

  private final double pagesPerNano;
  private final double most;
  private double owed;
  private long at;

  /**
   * @param pagesPerSecond more than 0
   */
  Pacer(double pagesPerSecond) {
    pagesPerNano = pagesPerSecond / 1e9;
    most = 1 + FORGIVEN_NANOS * pagesPerNano;
  }

  /** Ignores the time until now. */
  void skipTo(long nanoTime) {
    at = nanoTime;
  }

  /** Counts the time until now. */
  void advanceTo(long nanoTime) {
    owed = Math.min(owed + (nanoTime - at) * pagesPerNano, most);
    at = nanoTime;
  }

  boolean isDue() {
    return owed >= 1;
  }

  void wrote() {
    owed--;
  }

  /** Nanoseconds until a page is due: 0 when one is, otherwise at least a millisecond. */
  long sleepNanos() {
    return isDue()
        ? 0
        : Math.clamp((long) ((1 - owed) / pagesPerNano), MIN_SLEEP_NANOS, MAX_SLEEP_NANOS);
  }
}
