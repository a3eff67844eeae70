// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rates of a migration that runs, as {@code virsh domjobinfo} and QEMU's {@code info migrate}
 * print them.
 *
 * @param pages that the guest writes to in a second
 * @param pageBytes size of each
 * @param sent bytes in a second
 * @param remaining bytes; empty if that is not printed
 */
public record JobRates(long pages, long pageBytes, double sent, OptionalDouble remaining) {
  private static final String NUMBER = "([0-9]{1,12}(?:\\.[0-9]{1,9})?)";

  private static final Pattern LINE =
      Pattern.compile(
          "(?i)(?:>\\s?)*\\s*(?:(dirty rate|dirty pages rate)|(page size)|(memory bandwidth|throughput)"
              + "|(data remaining|memory remaining|remaining ram)): +"
              + NUMBER
              + " *([a-z/]{1,10})\\s*");

  /** Bytes of a unit, in lower case; what QEMU calls mbps are 10^6 bits in a second. */
  private static final Map<String, Double> UNITS =
      Map.ofEntries(
          Map.entry("b", 1.0),
          Map.entry("bytes", 1.0),
          Map.entry("kbytes", 0x1p10),
          Map.entry("kib", 0x1p10),
          Map.entry("mib", 0x1p20),
          Map.entry("gib", 0x1p30),
          Map.entry("tib", 0x1p40),
          Map.entry("mbps", 125e3));

  /** The bytes that the guest writes to in a second, as whole pages. */
  public double dirtied() {
    return (double) pages * pageBytes;
  }

  /**
   * How long it takes to send what remains, in seconds; empty if it never ends, or is not known.
   */
  public OptionalDouble seconds() {
    return remaining.isPresent() && sent > dirtied()
        ? OptionalDouble.of(remaining.getAsDouble() / (sent - dirtied()))
        : OptionalDouble.empty();
  }

  /** Collects them from lines. */
  static final class Reader {
    private double pages = -1;
    private double pageBytes = 4096;
    private double sent = -1;
    private double remaining = -1;

    /** Reads the next line; returns whether it has one of them. */
    boolean add(String line) {
      Matcher matcher = line.contains(": ") ? LINE.matcher(line) : null;
      if (matcher == null || !matcher.matches()) {
        return false;
      }
      double number = Double.parseDouble(matcher.group(5));
      String unit = matcher.group(6).toLowerCase(Locale.ROOT).replaceFirst("/s$", "");
      if (matcher.group(1) != null) {
        pages = unit.equals("pages") ? number : pages;
        return unit.equals("pages");
      }
      Double bytes = UNITS.get(unit);
      if (bytes == null) {
        return false;
      }
      if (matcher.group(2) != null) {
        pageBytes = number * bytes;
      } else if (matcher.group(3) != null) {
        sent = number * bytes;
      } else {
        remaining = number * bytes;
      }
      return true;
    }

    /** The newest rates; empty unless both are known. */
    Optional<JobRates> get() {
      return pages < 0 || sent < 0
          ? Optional.empty()
          : Optional.of(
              new JobRates(
                  (long) pages,
                  (long) pageBytes,
                  sent,
                  remaining < 0 ? OptionalDouble.empty() : OptionalDouble.of(remaining)));
    }
  }
}
