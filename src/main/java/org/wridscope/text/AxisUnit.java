// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import java.util.Locale;

/** The unit of the values of a chart: how values are written and which steps an axis uses. */
public enum AxisUnit {
  COUNT,
  COUNT_PER_SECOND,
  BYTES,
  BYTES_PER_SECOND,
  NANOSECONDS,
  /** 0 to 1. */
  SHARE;

  private static final String[] IEC = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String[] SI = {"", " k", " M", " G", " T"};
  private static final String[] TIME = {"ns", "µs", "ms", "s"};

  /** A value as text, with three significant figures. */
  public String text(double value) {
    double known = Math.max(0, value);
    return switch (this) {
      case COUNT -> Format.count(Math.round(known));
      case COUNT_PER_SECOND -> Format.perSecond(known);
      case BYTES -> Format.bytes(Math.round(known));
      case BYTES_PER_SECOND -> Format.rate(known);
      case NANOSECONDS -> Format.duration(Math.round(known));
      case SHARE -> Math.round(known * 100) + " %";
    };
  }

  /** A text as wide as the widest result of {@link #text}, for layout. */
  public String widest() {
    return switch (this) {
      case COUNT -> "888,888";
      case COUNT_PER_SECOND -> "88,888/s";
      case BYTES -> "8.88 MiB";
      case BYTES_PER_SECOND -> "8.88 MiB/s";
      case NANOSECONDS -> "88.8 ms";
      case SHARE -> "100 %";
    };
  }

  /** The label of a tick, without trailing zeros. */
  public String tick(double value) {
    if (value == 0) {
      return "0";
    }
    return switch (this) {
      case COUNT -> scaled(value, 1000, SI);
      case COUNT_PER_SECOND -> scaled(value, 1000, SI) + "/s";
      case BYTES -> spaced(value, 1024, IEC);
      case BYTES_PER_SECOND -> spaced(value, 1024, IEC) + "/s";
      case NANOSECONDS -> spaced(value, 1000, TIME);
      case SHARE -> plain(value * 100) + " %";
    };
  }

  /**
   * The smallest round step that is at least {@code least}: a power of two for memory, otherwise 1,
   * 2 or 5 times a power of ten.
   */
  public double step(double least) {
    double lowest = this == SHARE ? 0.01 : 1;
    double wanted = Math.max(least, lowest);
    if (this == BYTES || this == BYTES_PER_SECOND) {
      double step = 1;
      while (step < wanted) {
        step *= 2;
      }
      return step;
    }
    double power = Math.pow(10, Math.floor(Math.log10(wanted) + 1e-9));
    for (double factor : new double[] {1, 2, 5}) {
      if (power * factor >= wanted * (1 - 1e-9)) {
        return power * factor;
      }
    }
    return power * 10;
  }

  private static String spaced(double value, int base, String[] units) {
    double scaled = value;
    int unit = 0;
    while (scaled >= base && unit < units.length - 1) {
      scaled /= base;
      unit++;
    }
    return plain(scaled) + " " + units[unit];
  }

  /** Counts of up to four digits have no prefix. */
  private static String scaled(double value, int base, String[] units) {
    double scaled = value;
    int unit = 0;
    while (scaled >= (unit == 0 ? 10 * base : base) && unit < units.length - 1) {
      scaled /= base;
      unit++;
    }
    return (unit == 0 ? Format.count(Math.round(scaled)) : plain(scaled)) + units[unit];
  }

  private static String plain(double value) {
    String text = String.format(Locale.ROOT, "%.2f", value);
    int end = text.length();
    while (text.charAt(end - 1) == '0') {
      end--;
    }
    return text.substring(0, text.charAt(end - 1) == '.' ? end - 1 : end);
  }
}
