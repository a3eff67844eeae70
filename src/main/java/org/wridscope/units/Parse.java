// SPDX-License-Identifier: Apache-2.0
package org.wridscope.units;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses what users type. Each method throws {@link IllegalArgumentException} with one sentence for
 * the user, which starts with the name of the option or form field.
 */
public final class Parse {
  private static final Pattern NUMBER_AND_UNIT =
      Pattern.compile("([0-9]{1,30}(?:\\.[0-9]{1,30})?)\\s*([\\p{L}/%µ]{0,9})");

  private static final Pattern SHARE =
      Pattern.compile("([0-9]{1,30}(?:\\.[0-9]{1,30})?(?:e-[0-9]{1,3})?)\\s*(%?)");

  private static final Map<String, BigDecimal> SIZES =
      Map.ofEntries(
          Map.entry("b", power(1024, 0)),
          Map.entry("k", power(1024, 1)),
          Map.entry("kib", power(1024, 1)),
          Map.entry("m", power(1024, 2)),
          Map.entry("mib", power(1024, 2)),
          Map.entry("g", power(1024, 3)),
          Map.entry("gib", power(1024, 3)),
          Map.entry("t", power(1024, 4)),
          Map.entry("tib", power(1024, 4)),
          Map.entry("kb", power(1000, 1)),
          Map.entry("mb", power(1000, 2)),
          Map.entry("gb", power(1000, 3)),
          Map.entry("tb", power(1000, 4)));

  /** Units of bits per second, in bytes per second. */
  private static final Map<String, BigDecimal> BITS =
      Map.of(
          "bit/s", new BigDecimal("0.125"),
          "kbit/s", new BigDecimal("125"),
          "mbit/s", new BigDecimal("125000"),
          "gbit/s", new BigDecimal("125000000"));

  private static final Map<String, BigDecimal> NANOS =
      Map.ofEntries(
          Map.entry("ns", power(1000, 0)),
          Map.entry("us", power(1000, 1)),
          Map.entry("µs", power(1000, 1)),
          Map.entry("ms", power(1000, 2)),
          Map.entry("s", power(1000, 3)),
          Map.entry("min", BigDecimal.valueOf(60_000_000_000L)),
          Map.entry("h", BigDecimal.valueOf(3_600_000_000_000L)));

  private Parse() {}

  private static BigDecimal power(int base, int exponent) {
    return BigDecimal.valueOf(base).pow(exponent);
  }

  /**
   * A size of memory: {@code 2GiB}, {@code 512M}, {@code 1.5 GiB}, {@code 4096B}, {@code 0}. K, M,
   * G and T are powers of 1024; kB, MB, GB and TB are powers of 1000. A unit is required, because
   * 8192 could mean bytes, or MiB as for QEMU's {@code -m}.
   *
   * @return bytes, rounded
   */
  public static long size(String field, String text) {
    return scaled(field, text, SIZES, "a size; write a number and a unit, such as 512MiB or 2GiB");
  }

  /**
   * A rate: {@code 200MiB/s}, {@code 10Gbit/s}, or {@code 0}. A unit is required, as for a
   * {@linkplain #size size}.
   *
   * @return bytes per second
   */
  public static long rate(String field, String text) {
    String what =
        "a rate; write a number and a unit, such as 200MiB/s or 10Gbit/s, or 0 for no limit";
    String bits = text.strip().toLowerCase(Locale.ROOT);
    if (bits.endsWith("bit/s")) {
      return scaled(field, text, BITS, what);
    }
    String size = bits.endsWith("/s") ? bits.substring(0, bits.length() - 2) : bits;
    return scaled(field, text, size, SIZES, what);
  }

  /**
   * A share: {@code 40%}, {@code 12.5 %}, {@code 0.4} or {@code 4e-1}.
   *
   * @return 0 to 1
   */
  public static double share(String field, String text) {
    Matcher matcher = SHARE.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      double value = Double.parseDouble(matcher.group(1));
      double share = matcher.group(2).isEmpty() ? value : value / 100;
      if (share <= 1) {
        return share;
      }
    }
    throw new IllegalArgumentException(
        "%s: %s is not a share; write 0%% to 100%%.".formatted(field, quoted(text)));
  }

  /**
   * A length of time: {@code 300ms}, {@code 1.5s}, {@code 2min}, or {@code 0}. A unit is required,
   * because a number alone is ambiguous.
   */
  public static Duration duration(String field, String text) {
    if (text.strip().equals("0")) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(
        scaled(
            field,
            text,
            NANOS,
            "a length of time; write a number and a unit, such as 300ms, 1.5s or 2min"));
  }

  /** A whole number, positive, negative or hexadecimal with {@code 0x}. */
  public static long number(String field, String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("%s: Enter a whole number, such as 1.".formatted(field));
    }
    try {
      return Long.decode(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: %s is not a whole number.".formatted(field, quoted(text)), e);
    }
  }

  /** A {@linkplain #number whole number} from {@code min} to {@code max}. */
  public static long number(String field, String text, long min, long max) {
    long number = number(field, text);
    if (number < min || number > max) {
      throw new IllegalArgumentException(
          "%s: %s is out of range; write %d to %d.".formatted(field, text.strip(), min, max));
    }
    return number;
  }

  private static long scaled(
      String field, String text, Map<String, BigDecimal> units, String what) {
    return scaled(field, text, text.strip().toLowerCase(Locale.ROOT), units, what);
  }

  private static long scaled(
      String field, String text, String lower, Map<String, BigDecimal> units, String what) {
    Matcher matcher = NUMBER_AND_UNIT.matcher(lower);
    if (lower.equals("0")) {
      return 0;
    }
    BigDecimal unit = matcher.matches() ? units.get(matcher.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException("%s: %s is not %s.".formatted(field, quoted(text), what));
    }
    BigDecimal value = new BigDecimal(matcher.group(1)).multiply(unit);
    if (value.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("%s: %s is too large.".formatted(field, quoted(text)));
    }
    return value.setScale(0, RoundingMode.HALF_UP).longValueExact();
  }

  /** The typed text in quotes, cut if it is long. */
  public static String quoted(String text) {
    return '"' + (text.length() > 40 ? text.substring(0, 37) + "..." : text) + '"';
  }
}
