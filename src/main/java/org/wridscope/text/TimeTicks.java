// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import java.util.Locale;

/**
 * The ticks of a time axis, relative to an origin.
 *
 * @param first nanoseconds after the origin, may be negative
 * @param step nanoseconds
 * @param count number of ticks
 */
public record TimeTicks(long first, long step, int count) {
  private static final long SECOND = 1_000_000_000L;
  private static final long MILLISECOND = 1_000_000L;
  private static final long MICROSECOND = 1_000L;

  private static final long[] ABOVE_A_SECOND = {
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400
  };

  /**
   * Ticks for an interval.
   *
   * @param left nanoseconds after the origin
   * @param right later than {@code left}
   * @param most upper limit of the number of steps, at least 1
   */
  public static TimeTicks of(long left, long right, int most) {
    long step = step((right - left) / most + 1);
    long first = Math.ceilDiv(left, step) * step;
    return new TimeTicks(
        first, step, right < first ? 0 : Math.toIntExact((right - first) / step) + 1);
  }

  private static long step(long least) {
    for (long power = 1; power < SECOND; power *= 10) {
      for (int factor = 1; factor <= 5; factor += factor == 1 ? 1 : 3) {
        if (power * factor >= least) {
          return power * factor;
        }
      }
    }
    for (long seconds : ABOVE_A_SECOND) {
      if (seconds * SECOND >= least) {
        return seconds * SECOND;
      }
    }
    long day = ABOVE_A_SECOND[ABOVE_A_SECOND.length - 1] * SECOND;
    return Math.ceilDiv(least, day) * day;
  }

  /** The position of a tick, in nanoseconds after the origin. */
  public long at(int index) {
    return first + index * step;
  }

  /** The label of a tick. */
  public String label(int index) {
    return label(at(index), step);
  }

  /**
   * A moment relative to the origin, with as many places as the step needs: {@code 2.5 s}, {@code
   * 1:05}, {@code 1:02:05}; within the first second in the unit of the step, {@code 0.5 µs}.
   */
  public static String label(long nanos, long step) {
    long size = Math.abs(nanos);
    if (size < SECOND && step < MILLISECOND) {
      boolean small = size < MILLISECOND && step < MICROSECOND;
      long unit = small ? MICROSECOND : MILLISECOND;
      String text =
          String.format(Locale.ROOT, "%." + places(unit, step) + "f", (double) nanos / unit);
      return text + (small ? " µs" : " ms");
    }
    int places = places(SECOND, step);
    long minutes = size / (60 * SECOND);
    double seconds = (size % (60 * SECOND)) / 1e9;
    String sign = nanos < 0 ? "-" : "";
    if (minutes == 0) {
      return String.format(Locale.ROOT, "%s%." + places + "f s", sign, seconds);
    }
    // Truncated, not rounded, so that 59.99 s never becomes 60 s.
    double unit = Math.pow(10, places);
    String cut =
        String.format(
            Locale.ROOT,
            "%0" + (places == 0 ? 2 : places + 3) + "." + places + "f",
            Math.floor(seconds * unit + 1e-6) / unit);
    return minutes < 60
        ? String.format(Locale.ROOT, "%s%d:%s", sign, minutes, cut)
        : String.format(Locale.ROOT, "%s%d:%02d:%s", sign, minutes / 60, minutes % 60, cut);
  }

  /** The places after the point that a step needs. */
  private static int places(long unit, long step) {
    int places = 0;
    for (long part = unit; part > step && places < 9; part /= 10) {
      places++;
    }
    return places;
  }
}
