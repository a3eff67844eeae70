// SPDX-License-Identifier: Apache-2.0
package org.wridscope.text;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Numbers as people read them: IEC units for memory, SI units for what goes over a link, three
 * significant figures. The same for the window and the terminal, and independent of the locale.
 */
public final class Format {
  private static final String[] IEC = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String[] SI = {"B", "kB", "MB", "GB", "TB"};
  private static final String[] SI_BITS = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};

  private Format() {}

  /**
   * A text with a capital first letter, as at the beginning of a sentence; an empty one as it is.
   */
  public static String capitalized(String text) {
    return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  /**
   * Memory, for example {@code 8.00 GiB}, {@code 61.3 MiB} or {@code 512 B}.
   *
   * @param bytes not negative
   */
  public static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1023.5 && unit < IEC.length - 1) {
      value /= 1024;
      unit++;
    }
    return (unit == 0 ? Long.toString(bytes) : figures(value)) + " " + IEC[unit];
  }

  /**
   * Memory without rounding, in the shortest form that can be typed in: {@code 2GiB}, {@code
   * 1536MiB}, {@code 20MB}, {@code 4097B}, {@code 0}.
   */
  public static String exactBytes(long bytes) {
    if (bytes == 0) {
      return "0";
    }
    String binary = exact(bytes, 1024, IEC);
    String decimal = exact(bytes, 1000, SI);
    return decimal.length() < binary.length() ? decimal : binary;
  }

  private static String exact(long bytes, int step, String[] units) {
    int unit = 0;
    long value = bytes;
    while (value % step == 0 && unit < units.length - 1) {
      value /= step;
      unit++;
    }
    return value + units[unit];
  }

  /** A rate as it can be typed, exactly. */
  public static String exactRate(long bytesPerSecond) {
    return bytesPerSecond == 0 ? "0" : exactBytes(bytesPerSecond) + "/s";
  }

  /** Bytes a second, for example {@code 9.80 GiB/s}. */
  public static String rate(long bytesPerSecond) {
    return bytes(bytesPerSecond) + "/s";
  }

  /** Bytes a second, rounded to a whole byte. */
  public static String rate(double bytesPerSecond) {
    return rate(Math.round(bytesPerSecond));
  }

  /**
   * Bytes a second as a link counts them, for example {@code 84.2 Gbit/s} or {@code 950 Mbit/s}.
   */
  public static String bits(double bytesPerSecond) {
    double value = bytesPerSecond * 8;
    int unit = 0;
    while (value >= 999.5 && unit < SI_BITS.length - 1) {
      value /= 1000;
      unit++;
    }
    return figures(value) + " " + SI_BITS[unit];
  }

  /** A count with thousands separators, for example {@code 1,048,576}. */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /**
   * A count of things, for example {@code 1 message} or {@code 1,048 messages}.
   *
   * @param noun singular; its plural ends in s
   */
  public static String counted(long count, String noun) {
    return count(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /**
   * The first of some names, and how many others there are, for example {@code QP 17, QP 18 and 3
   * more}.
   *
   * @param most how many are named
   */
  public static String listed(List<String> names, int most) {
    String shown = String.join(", ", names.subList(0, Math.min(most, names.size())));
    return names.size() > most
        ? "%s and %s more".formatted(shown, count(names.size() - most))
        : shown;
  }

  /** Counts a second, for example {@code 9,840/s} or {@code 0.50/s}. */
  public static String perSecond(double count) {
    return (count >= 99.5 || count == 0 ? count(Math.round(count)) : figures(count)) + "/s";
  }

  /**
   * A share, for example {@code 61 %}. Rounded down, so that only a full share is 100 %.
   *
   * @param share 0 to 1
   */
  public static String percent(double share) {
    return (int) Math.floor(Math.clamp(share, 0.0, 1.0) * 100 + 1e-9) + " %";
  }

  /**
   * A length of time, rounded for people: {@code 840 ns}, {@code 38 ms}, {@code 1.2 s}, {@code 2
   * min 05 s}, {@code 1 h 03 min}.
   *
   * @param nanos not negative
   */
  public static String duration(long nanos) {
    if (nanos < 1000) {
      return nanos + " ns";
    }
    if (nanos < 999_500) {
      return small(nanos / 1e3) + " µs";
    }
    if (nanos < 999_500_000) {
      return small(nanos / 1e6) + " ms";
    }
    if (nanos < 59_950_000_000L) {
      return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }
    long seconds = Math.round(nanos / 1e9);
    if (seconds < TimeUnit.HOURS.toSeconds(1)) {
      return String.format(Locale.ROOT, "%d min %02d s", seconds / 60, seconds % 60);
    }
    long minutes = Math.round(seconds / 60.0);
    return String.format(Locale.ROOT, "%d h %02d min", minutes / 60, minutes % 60);
  }

  /**
   * A length of time that was measured, with three places, six for seconds: {@code 12.651 ms}.
   *
   * @param nanos not negative
   */
  public static String fineDuration(long nanos) {
    if (nanos < 1_000) {
      return nanos + " ns";
    }
    return nanos < 1_000_000
        ? String.format(Locale.ROOT, "%.3f µs", nanos / 1e3)
        : nanos < 1_000_000_000
            ? String.format(Locale.ROOT, "%.3f ms", nanos / 1e6)
            : String.format(Locale.ROOT, "%.6f s", nanos / 1e9);
  }

  /**
   * A length of time without rounding, in a form that can be typed in: {@code 300ms}, {@code 60s}.
   *
   * @param nanos not negative
   */
  public static String exactDuration(long nanos) {
    if (nanos % 1_000_000_000 == 0) {
      return nanos / 1_000_000_000 + "s";
    }
    if (nanos % 1_000_000 == 0) {
      return nanos / 1_000_000 + "ms";
    }
    return nanos % 1000 == 0 ? nanos / 1000 + "us" : nanos + "ns";
  }

  /**
   * A moment relative to another, with a sign and microseconds: {@code +12.345678 s}. For tables,
   * where every value needs the same number of places.
   */
  public static String moment(long nanos) {
    return String.format(Locale.ROOT, "%+.6f s", nanos / 1e9);
  }

  /** Unsigned and hexadecimal, 16 digits, for addresses. */
  public static String address(long address) {
    return String.format(Locale.ROOT, "0x%016x", address);
  }

  /** A work request ID, unsigned: hexadecimal, and decimal, as programs print it. */
  public static String wrid(long wrid) {
    return "0x%s = %s".formatted(Long.toHexString(wrid), Long.toUnsignedString(wrid));
  }

  /** Unsigned and hexadecimal, 8 digits, for keys. */
  public static String key(int key) {
    return String.format(Locale.ROOT, "0x%08x", key);
  }

  /** Three significant figures; from 1000 on, all four digits. At most four characters. */
  private static String figures(double value) {
    String pattern = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, pattern, value);
  }

  private static String small(double value) {
    return String.format(Locale.ROOT, value < 9.95 ? "%.1f" : "%.0f", value);
  }
}
